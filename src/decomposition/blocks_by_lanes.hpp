// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/calls.hpp"
#include "decomposition/shares.hpp"

/// Collectives with a block a rank, by the lanes' shares of the blocks or, the same text for a segment of them, of a
/// stretch of every block: `shares` knows how the blocks stand. One's own block, `mine` or a `result`, is the stretch
/// alone; a row of blocks begins with the stretch of its first.
namespace laneway {

/// On all lanes at once to the root's node, whose processes give the root their shares straight to their places.
void gather_by_lanes(const Gather& call, const Shares& shares, const Decomposition& on);

/// The root gives each process of its node what it shall carry, straight from its places; then all lanes at once.
void scatter_by_lanes(const Scatter& call, const Shares& shares, const Decomposition& on);

/// The node's reduction of what its processes serve on their lanes, which stands there in the order of the shares.
/// Straight from the blocks' places.
void reduce_to_servers(const Buffer& input, const Buffer& served, const Shares& shares, MPI_Op op,
                       const Decomposition& on);

/// And from there, on all lanes at once, to everyone's `result`.
void reduce_scatter_on_lanes(const Buffer& served, const Buffer& result, const Shares& shares,
                             MPI_Op op, const Decomposition& on);

}  // namespace laneway
