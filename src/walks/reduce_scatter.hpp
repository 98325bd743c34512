// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "data/buffer.hpp"
#include "data/partition.hpp"
#include "layout/order.hpp"
#include "messages/comm.hpp"
#include "walks/folded.hpp"

namespace laneway {

/// Brings a block of the reduction to everyone's `result`, by phases of actors: to position i, block `blocks.rank(i)`.
/// `actors` are those that take over part 0, part 1 ... of the data that all have in common. Blocks are moved, on each
/// process, to where they lie in that order.
void reduce_scatter_in_phases(const Buffer& input, const Buffer& result, const Partition& part,
                              MPI_Op op, const Phases& phases, const std::vector<int>& actors,
                              const Folded& folded, const Order& blocks, const Comm& comm);

/// Does so by halves, the farthest processes first.
void reduce_scatter_halving(const Buffer& input, const Buffer& result, const Partition& part,
                            MPI_Op op, const Order& order, const Order& blocks, const Comm& comm);

/// Does so by halves, neighbours first. Neighbours split blocks by the lowest bit of their number: blocks are moved to
/// where that makes halves of them.
void reduce_scatter_by_butterfly(const Buffer& input, const Buffer& result, const Partition& part,
                                 MPI_Op op, const Order& order, const Comm& comm);

/// Brings all blocks of the reduction to all, of which everyone keeps its own.
void reduce_scatter_by_allreduce(const Buffer& input, const Buffer& result, const Partition& part,
                                 MPI_Op op, const Order& order, const Comm& comm);

}  // namespace laneway
