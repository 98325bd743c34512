// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/calls.hpp"
#include "decomposition/shares.hpp"

/// Collectives on blocks by the lanes' shares of these or, the same text for a segment of them, of a stretch of every
/// block: `shares` knows how the blocks stand. One's own block is the stretch alone; the row of all blocks begins with
/// the stretch of its first block.
namespace laneway {

/// On all lanes at once to the root's node, whose processes give the root their shares straight to their places.
void gather_by_lanes(const Gather& call, const Shares& shares, const Decomposition& on);

/// The root gives each process of its node what it shall carry, straight from its places; then all lanes at once.
void scatter_by_lanes(const Scatter& call, const Shares& shares, const Decomposition& on);

/// The blocks are brought into the order of the lanes first, so that both reduce-scatters work on consecutive data.
void reduce_scatter_by_lanes(const ReduceScatterBlock& call, const Shares& shares,
                             const Decomposition& on);

}  // namespace laneway
