// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace laneway::bench {

/// A datatype that can be asked for by name.
struct Datatype {
    enum class Kind { byte, integer, floating };

    const char* name;
    MPI_Datatype handle;
    std::size_t size;  ///< In bytes; all are free of gaps.
    Kind kind;
    void (*write)(void* data, std::size_t index, int value);  ///< data[index] = value
};

/// A reduction operator that can be asked for by name.
struct Op {
    enum class Domain { numbers, integers, bits };  ///< What MPI lets it work on.

    const char* name;
    MPI_Op handle;
    Domain domain;
};

/// Throw UsageError for an unknown name.
const Datatype& datatype(const std::string& name);
const Op& op(const std::string& name);

std::vector<std::string> datatype_names();
std::vector<std::string> op_names();

/// Whether MPI defines `op` on `datatype`.
bool applies(const Op& op, const Datatype& datatype);

}  // namespace laneway::bench
