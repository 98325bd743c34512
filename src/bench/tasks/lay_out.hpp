// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {

/// A datatype of one element of another one: the same data by another handle.
class OneOfIt {
public:
    explicit OneOfIt(MPI_Datatype type);
    OneOfIt(const OneOfIt&) = delete;
    OneOfIt& operator=(const OneOfIt&) = delete;
    ~OneOfIt();
    MPI_Datatype handle() const { return handle_; }

private:
    MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

/// Sets counts and displacements of a vector collective as the calling rank passes them. Returns whether MPI can
/// count that far.
bool lay_out(const Operation& operation, Problem& problem, MPI_Datatype of_odd_peers);

}  // namespace laneway::bench
