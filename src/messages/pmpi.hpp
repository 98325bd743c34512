// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "data/buffer.hpp"
#include "messages/comm.hpp"

/// Work of the MPI library for one process alone, in buffers. The functions throw Error.
namespace laneway::pmpi {

bool is_commutative(MPI_Op op);

/// `result` becomes `left` op `result`. Local.
void reduce_local(const Buffer& left, const Buffer& result, MPI_Op op);
/// `result` becomes `left` op `result`. Returns an MPI error code.
int reduced(const void* left, void* result, int count, MPI_Datatype type, MPI_Op op);

/// Copies elements to another place or into another layout of the same signature, through MPI, which knows memory of
/// accelerators.
void copy(const Buffer& from, const Buffer& to, const Comm& comm);

}  // namespace laneway::pmpi
