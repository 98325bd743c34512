// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "data/buffer.hpp"
#include "messages/comm.hpp"

/// Reductions to one process in which pairs combine their sums, neighbours first, in the order of ranks. Whichever
/// process the root is, every element is combined in the same order and with the same brackets.
namespace laneway {

/// Reduces whole messages: the process of a pair that is farther from the root gives its sum to the other one.
void reduce_by_pairs(const Buffer& input, const Buffer& result, MPI_Op op, int root,
                     const Comm& comm);

/// Reduces by halves: each process of a pair takes over half of the data of both. The root gets the parts in the end.
void reduce_by_halves(const Buffer& input, const Buffer& result, MPI_Op op, int root,
                      const Comm& comm);

}  // namespace laneway
