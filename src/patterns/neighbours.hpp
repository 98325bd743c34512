// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

/// Which nodes exchange data in a benchmark of lanes.
namespace laneway {

/// The nodes that one sends to, and those that it receives from. All messages of a step are under way at once.
struct Neighbours {
    std::vector<int> to, from;
};

/// A pattern by its name.
struct NodePattern {
    const char* name;
    const char* about;
    /// The steps of a node among so many, one after the other.
    std::vector<Neighbours> (*steps)(int node, int nodes);
};

/// All patterns; the first is that of Traeff and Hunold 2020, Section 2.
const std::vector<NodePattern>& node_patterns();

/// The pattern of that name, or none.
const NodePattern* node_pattern(const std::string& name);

}  // namespace laneway
