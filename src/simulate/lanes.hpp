// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "layout/layout.hpp"

namespace laneway::simulate {

/// The network lanes of a node: so many (0: nobody says), of weights such as `2:1` or `10:10,3=10:1` (empty: nobody
/// says). Throws Misunderstood.
NetworkLanes lanes_of(int number, const std::string& weights);

/// The layout of nodes that may have weights of their own, by their numbers. Throws Misunderstood where there is no
/// such node.
std::shared_ptr<const Layout> layout_of(Mapping mapping, const NetworkLanes& lanes);

/// How many times slower than the fastest lane each one is, node after node where these differ; empty: they are alike.
/// A lane that is taken out has the least weight there is.
std::vector<double> slowness(const NetworkLanes& lanes, int nodes);

}  // namespace laneway::simulate
