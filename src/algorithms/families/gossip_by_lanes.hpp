// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "decomposition/components.hpp"
#include "decomposition/shares.hpp"

/// Allgathers of the lanes' shares of blocks, straight to their places.
namespace laneway {

/// How the shares of a node get to all other nodes.
enum class Travel : unsigned char {
    straight,    ///< from that node to each other one
    round_nodes  ///< from node to node, in a ring
};

/// Travel::round_nodes where one node has far more than the mean: it would be late if it sent all to each other node
/// itself. Where the shares are short, the latencies of the rounds would take longer than that. `element`: bytes.
Travel travel_of(const Shares& shares, std::int64_t element, const Decomposition& on);

/// Sends the lanes' shares of a row to their owners, on to all other nodes, and to the other processes of each node. A
/// process's own block stands at its place in the row.
void gossip_by_lanes(const Buffer& row, const Shares& shares, Travel travel,
                     const Decomposition& on);

}  // namespace laneway
