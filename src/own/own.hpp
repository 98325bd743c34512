// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "mpi/buffer.hpp"
#include "mpi/comm.hpp"
#include "mpi/partition.hpp"

/// Components of our own, over messages: what serves where the MPI library's collectives cannot, in what is
/// recorded. They take the arguments of those in mpi/pmpi.hpp, two buffers at one address mean MPI_IN_PLACE
/// as there, and buffers may differ in type where their signatures are equal. All reductions are combined in
/// rank order, so any operator may come.
///
/// Alone, they need few rounds: in each, a process tells `radix` - 1 others. As one of several children under way at
/// once, whose other messages fill the lanes meanwhile, they send as few bytes as they can: chains, rings, a part of
/// the message to each. (So they do where the recorder is asked for that.)
namespace laneway::own {

/// A message more costs an overhead, a round a latency, that of three or four of them: four processes need one round
/// then, and sixteen two.
inline constexpr int radix = 4;

void bcast(const Buffer& data, int root, const Comm& comm);
void reduce(const Buffer& input, const Buffer& result, MPI_Op op, int root, const Comm& comm);
void scatterv(const Buffer& whole, const Buffer& mine, const Partition& part, int root,
              const Comm& comm);
void scatter(const Buffer& whole, const Buffer& mine, int root, const Comm& comm);
void gatherv(const Buffer& mine, const Buffer& whole, const Partition& part, int root,
             const Comm& comm);
void gather(const Buffer& mine, const Buffer& whole, int root, const Comm& comm);

void barrier(const Comm& comm);
void allgatherv(const Buffer& mine, const Buffer& whole, const Partition& part, const Comm& comm);
void allgather(const Buffer& mine, const Buffer& whole, const Comm& comm);
void alltoallv(const Buffer& input, const Partition& input_part, const Buffer& result,
               const Partition& result_part, const Comm& comm);
void alltoall(const Buffer& input, const Buffer& result, const Comm& comm);

void allreduce(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm);
void reduce_scatter(const Buffer& input, const Buffer& result, const Partition& part, MPI_Op op,
                    const Comm& comm);
void reduce_scatter_block(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm);
void scan(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm);
void exscan(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm);

/// Few bytes matter more than few rounds.
bool saves_bytes();

}  // namespace laneway::own
