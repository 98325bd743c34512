// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace laneway::bench {

/// The value of an element: a small number and, in the pair types of MPI_MINLOC and MPI_MAXLOC, a place.
struct Value {
    std::int64_t number;
    int place;
};

/// The type of a message's elements: a datatype of MPI. It can be asked for by its name, in small letters and without
/// its MPI_.
struct ElementType {
    /// The groups in which MPI defines operators (MPI 4.1, Section 6.9.2).
    enum class Kind { plain, byte, integer, address, floating, complex, logical, pair };

    const char* name;
    MPI_Datatype handle;
    std::size_t size;    ///< Bytes of data.
    std::size_t extent;  ///< Bytes from one element to the next.
    Kind kind;
    void (*write)(void* data, std::size_t index, Value value);
    bool (*holds)(const void* data, std::size_t index, Value value);
};

/// Throws Misunderstood for an unknown name. MPI_INT and mpi_int mean int.
const ElementType& element_type(const std::string& name);

std::vector<std::string> element_type_names();

}  // namespace laneway::bench
