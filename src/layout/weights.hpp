// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

/// Weights of lanes that differ between nodes, and how much each lane is to carry then. All processes compute it alike,
/// in whole numbers.
namespace laneway {

using LaneWeights = std::vector<std::int64_t>;

/// The weights of lanes between several nodes: each carries as much as on the slowest of them. Where that is nothing on
/// any lane, all lanes carry as much, since data must go somewhere.
LaneWeights least_of(const std::vector<LaneWeights>& nodes);

/// The weights by which nodes cut what each of them sends to one node, the root, so that it comes as soon as can be.
/// `root`: what the lanes of the root carry. `between`: by node, what lanes carry between it and the root. `sizes`: by
/// node, how much it sends; 0: nothing, and its weights stay as they are.
///
/// One node with a slow lane takes the others. The root's lanes would then have too little of that lane's data, and the
/// nodes whose lanes are sound send more over it.
std::vector<LaneWeights> towards(const LaneWeights& root, std::vector<LaneWeights> between,
                                 const std::vector<std::int64_t>& sizes);

}  // namespace laneway
