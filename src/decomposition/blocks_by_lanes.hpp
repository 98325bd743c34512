// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/calls.hpp"
#include "decomposition/shares.hpp"

namespace laneway {

/// By the lanes' shares of the blocks or, the same text for a segment of them, of a stretch of every block. One's own block is
/// the stretch alone; the row of all blocks begins with the stretch of its first block. The blocks are brought into the order of
/// the lanes first, so that both reduce-scatters work on consecutive data.
void reduce_scatter_by_lanes(const ReduceScatterBlock& call, const Shares& shares,
                             const Decomposition& on);

}  // namespace laneway
