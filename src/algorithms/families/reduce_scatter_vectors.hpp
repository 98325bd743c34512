// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/calls.hpp"
#include "decomposition/shares.hpp"

namespace laneway {

/// A reduce-scatter of blocks of any lengths, or of a stretch of each, by the lanes' shares of them; the call's result is the
/// caller's block, or its stretch.
void reduce_blocks_by_lanes(const ReduceScatter& call, const Shares& shares,
                            const Decomposition& on);

}  // namespace laneway
