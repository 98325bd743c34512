// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "mpi/buffer.hpp"
#include "mpi/comm.hpp"
#include "mpi/partition.hpp"

/// The MPI library's own operations on private communicators, in buffers. They throw Error.
/// Two buffers at one address mean MPI_IN_PLACE.
namespace laneway::pmpi {

bool is_commutative(MPI_Op op);

void bcast(const Buffer& data, int root, const Comm& comm);
void reduce(const Buffer& input, const Buffer& result, MPI_Op op, int root, const Comm& comm);
void allreduce(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm);

/// Blocks of `whole` on `root` to `mine` on every rank. `whole` matters on the root alone.
void scatter(const Buffer& whole, const Buffer& mine, int root, const Comm& comm);
void scatterv(const Buffer& whole, const Buffer& mine, const Partition& part, int root,
              const Comm& comm);

/// Everyone's `mine` to the row of blocks `whole`, on `root` or on all ranks.
void gather(const Buffer& mine, const Buffer& whole, int root, const Comm& comm);
void gatherv(const Buffer& mine, const Buffer& whole, const Partition& part, int root,
             const Comm& comm);
void allgather(const Buffer& mine, const Buffer& whole, const Comm& comm);
void allgatherv(const Buffer& mine, const Buffer& whole, const Partition& part, const Comm& comm);

/// Block r of `input` to rank r.
void alltoall(const Buffer& input, const Buffer& result, const Comm& comm);
void alltoallv(const Buffer& input, const Partition& input_part, const Buffer& result,
               const Partition& result_part, const Comm& comm);

/// Block i of the reduction of everyone's `input` to `result` on rank i.
void reduce_scatter(const Buffer& input, const Buffer& result, const Partition& part, MPI_Op op,
                    const Comm& comm);
void reduce_scatter_block(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm);

void scan(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm);
/// On rank 0, `result` is not written.
void exscan(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm);

void barrier(const Comm& comm);

/// `result` becomes `left` op `result`. Local.
void reduce_local(const Buffer& left, const Buffer& result, MPI_Op op);
/// `result` becomes `left` op `result`. Returns an MPI error code.
int reduced(const void* left, void* result, int count, MPI_Datatype type, MPI_Op op);

/// Copies elements to another place or into another layout of the same signature, through MPI, which knows memory of
/// accelerators.
void copy(const Buffer& from, const Buffer& to, const Comm& comm);

}  // namespace laneway::pmpi
