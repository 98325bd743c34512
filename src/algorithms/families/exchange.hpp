// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "decomposition/components.hpp"

namespace laneway {

/// An alltoall by way of the first `lanes` lanes, on any communicator. What the processes of one node
/// have for those of another is a matrix of blocks, a line an origin and a column a target. Cut line
/// by line into one share a lane, it goes to the owners of the lanes, over these, and from the owners
/// to its targets. Where nodes are equal and all lanes are taken, share j is line j; else a share may
/// hold parts of several lines, and of blocks.
void exchange(const Alltoall& call, int lanes, const Decomposition& on);

/// The part of it, by all lanes, that one node has for another: what this node has for node `to`, and what it gets from
/// node `from`. Of every block a stretch of `length` elements, `stride` apart; the rows begin with the stretch of their
/// first block.
void exchange_with(int to, int from, const Alltoall& call, std::int64_t length, std::int64_t stride,
                   const Decomposition& on);

}  // namespace laneway
