// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "layout/layout.hpp"

namespace laneway::simulate {

/// The network lanes of a node: so many (0: nobody says), of weights such as `2:1` (empty: nobody says). Throws
/// Misunderstood.
NetworkLanes lanes_of(int number, const std::string& weights);

/// How many times slower than the fastest lane each one is; empty: they are alike. A lane that is taken out has the
/// least weight there is.
std::vector<double> slowness(const NetworkLanes& lanes);

}  // namespace laneway::simulate
