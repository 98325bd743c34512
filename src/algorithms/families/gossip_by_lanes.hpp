// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "collectives/tunables.hpp"
#include "decomposition/components.hpp"
#include "decomposition/shares.hpp"

/// Allgathers of the lanes' shares of blocks, straight to their places.
namespace laneway {

/// How the shares of a node get to all other nodes.
enum class Travel : unsigned char {
    straight,    ///< from that node to each other one
    round_nodes  ///< from node to node, in a ring
};

/// Travel::round_nodes where one node has much more than others. It would be late if it sent all to each other node
/// itself, or took in sums from each. Where blocks are short, the latencies of the rounds would take longer.
/// `part`: the blocks of all ranks; `element`: bytes of an element; `around`: see around_tunable.
Travel travel_of(const Partition& part, std::int64_t element, std::int64_t around,
                 const Decomposition& on);

/// The preset is what a lane of 100 Gbit/s carries in a microsecond.
constexpr Tunable around_tunable{"around",
                                 "bytes",
                                 12500,
                                 0,
                                 1 << 30,
                                 "data go round the nodes where that saves each lane so many bytes "
                                 "for each of the latencies that it costs"};

/// Sends the lanes' shares of a row to their owners, on to all other nodes, and to the other processes of each node. A
/// process's own block stands at its place in the row.
void gossip_by_lanes(const Buffer& row, const Shares& shares, Travel travel,
                     const Decomposition& on);

}  // namespace laneway
