// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace laneway::bench {

/// What an element holds: a small number and, in the pair types of MPI_MINLOC and MPI_MAXLOC, a
/// place.
struct Value {
    std::int64_t number;
    int place;
};

/// A datatype that can be asked for by name: that of MPI in small letters, without its MPI_.
struct Datatype {
    /// The groups in which MPI defines operators (MPI 4.1, Section 6.9.2).
    enum class Kind { plain, byte, integer, address, floating, complex, logical, pair };

    const char* name;
    MPI_Datatype handle;
    std::size_t size;    ///< Bytes of data,
    std::size_t extent;  ///< and from one element to the next.
    Kind kind;
    void (*write)(void* data, std::size_t index, Value value);
    bool (*holds)(const void* data, std::size_t index, Value value);
};

/// A reduction operator that can be asked for by name.
struct Op {
    enum class Domain { order, arithmetic, truth, bits, place };

    const char* name;
    MPI_Op handle;
    Domain domain;
    Value (*apply)(Value, Value);
};

/// "MPI_Double" as it is called here, "double"; and "MPI_Bcast", "bcast".
std::string plain_name(std::string name);

/// Throw UsageError for an unknown name. MPI_INT and mpi_int mean int.
const Datatype& datatype(const std::string& name);
const Op& op(const std::string& name);

std::vector<std::string> datatype_names();
std::vector<std::string> op_names();

/// Whether MPI defines `op` on `datatype`.
bool applies(const Op& op, const Datatype& datatype);

}  // namespace laneway::bench
