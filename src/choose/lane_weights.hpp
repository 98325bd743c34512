// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "layout/layout.hpp"

namespace laneway {

/// The network lanes of a node whose weights are such as `2:1`, in the order of the lanes' numbers. There are `number` of
/// them; 0: as many as weights. `who`: says that number, in words. Throws Misunderstood.
NetworkLanes weighted_lanes(std::string_view weights, int number = 0, std::string_view who = {});

}  // namespace laneway
