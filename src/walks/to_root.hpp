// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "data/buffer.hpp"
#include "messages/comm.hpp"

/// Reductions to one process in which pairs combine what they have, neighbours first, in the order of ranks,
/// whichever process the root is: every element is combined in the same order and with the same brackets.
namespace laneway {

/// Whole messages: of a pair, who is farther from the root gives its sum to the other one.
void reduce_by_pairs(const Buffer& input, const Buffer& result, MPI_Op op, int root,
                     const Comm& comm);

/// Of a pair, each takes over half of what both have, and the root gets the parts in the end.
void reduce_by_halves(const Buffer& input, const Buffer& result, MPI_Op op, int root,
                      const Comm& comm);

}  // namespace laneway
