// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "layout/order.hpp"
#include "mpi/buffer.hpp"
#include "mpi/comm.hpp"
#include "mpi/partition.hpp"
#include "walks/folded.hpp"

namespace laneway {

/// Block r of the reduction to `result` on rank r, by phases of actors. `actors` are those that take over part 0,
/// part 1 ... of what all have in common: blocks are moved, on each process, to where they lie in that order.
void reduce_scatter_blocks(const Buffer& input, const Buffer& result, const Partition& part,
                           MPI_Op op, const Phases& phases, const std::vector<int>& actors,
                           const Folded& folded, const Comm& comm);

/// The same by halves, the farthest processes first.
void reduce_scatter_halving(const Buffer& input, const Buffer& result, const Partition& part,
                            MPI_Op op, const Order& order, const Comm& comm);

}  // namespace laneway
