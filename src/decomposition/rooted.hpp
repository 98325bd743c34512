// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/calls.hpp"
#include "decomposition/shares.hpp"

/// Gather and scatter are each other's mirror image: the same steps between the processes and the root, taken towards it or
/// from it. Their texts stand here once; `Call` is either.
namespace laneway {

/// By one lane, the root's: between the processes of each node and their leader, and between the leaders.
template <class Call>
void by_roots_lane(const Call& call, const Decomposition& on);

/// By all lanes at once, on regular communicators whose ranks are consecutive: lane j has every n-th block from block j on, a
/// column of the root's row.
template <class Call>
void by_columns(const Call& call, const Decomposition& on);

/// By all lanes at once, whatever the communicator: the lanes have `shares` of the blocks or, the same text for a segment
/// of them, of a stretch of every block. One's own block is the stretch alone; the row of all blocks begins with the
/// stretch of its first block.
template <class Call>
void by_lanes(const Call& call, const Shares& shares, const Decomposition& on);

extern template void by_roots_lane(const Gather&, const Decomposition&);
extern template void by_roots_lane(const Scatter&, const Decomposition&);
extern template void by_columns(const Gather&, const Decomposition&);
extern template void by_columns(const Scatter&, const Decomposition&);
extern template void by_lanes(const Gather&, const Shares&, const Decomposition&);
extern template void by_lanes(const Scatter&, const Shares&, const Decomposition&);

}  // namespace laneway
