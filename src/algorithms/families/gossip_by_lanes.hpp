// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "decomposition/components.hpp"
#include "decomposition/shares.hpp"

/// Allgathers of the lanes' shares of blocks, straight to their places.
namespace laneway {

/// How the shares of a node get to all others.
enum class Travel : unsigned char {
    straight,    ///< from it to each
    round_nodes  ///< from node to node, in a ring
};

/// Round the nodes where one has so much more than the mean that it would be late if it sent all to each other one itself.
Travel travel_of(const Shares& shares);

/// The lanes' shares of a row go to the owners, to all other nodes, and to the others of the node. One's own block stands
/// at its place.
void gossip_by_lanes(const Buffer& row, const Shares& shares, Travel travel,
                     const Decomposition& on);

}  // namespace laneway
