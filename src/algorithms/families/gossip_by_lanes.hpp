// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "decomposition/components.hpp"
#include "decomposition/shares.hpp"

/// Allgathers of the lanes' shares of blocks of any lengths, which all processes know.
namespace laneway {

/// What the lanes carry of a row, straight to its places: to the owners, to all other nodes, and to the others of the
/// node. One's own block stands at its place.
void gossip_by_lanes(const Buffer& row, const Shares& shares, const Decomposition& on);

}  // namespace laneway
