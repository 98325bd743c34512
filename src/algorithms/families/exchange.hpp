// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "decomposition/components.hpp"

namespace laneway {

/// An alltoall by way of all lanes, on any communicator. The blocks of the processes of
/// one node for those of another form a matrix, a line an origin and a column a target. It is cut line
/// by line into one share a lane. Shares go to the owners of the lanes, over these, and from the owners
/// to the targets. Where nodes are equal, and lanes, too, and as many as a node has processes, share j is
/// line j. Elsewhere a share may hold parts of several lines, and of blocks.
void exchange(const Alltoall& call, const Decomposition& on);

/// The part of exchange() between two nodes, by all lanes: this node's matrix for node `to`, and the matrix that it
/// gets from node `from`. Only a stretch of `length` elements of every block is sent. Stretches are `stride` apart; the
/// rows begin with the stretch of their first block.
void exchange_with(int to, int from, const Alltoall& call, std::int64_t length, std::int64_t stride,
                   const Decomposition& on);

}  // namespace laneway
