// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "layout/layout.hpp"

namespace laneway {

/// The network lanes of a node whose weights are such as `2:1`, in the order of the lanes' numbers. Some nodes may have
/// others on the same scale: `10:10,node2=10:1`. There are `number` lanes; 0: as many as weights. `who`: says that
/// number, in words. Throws Misunderstood.
NetworkLanes weighted_lanes(std::string_view text, int number = 0, std::string_view who = {});

/// The text of such lanes.
std::string in_words(const NetworkLanes& lanes);

/// The number by which a node of that name has its weights, as in Mapping. A host may be named without its domain.
std::size_t weighed_as(const NetworkLanes& lanes, std::string_view node);

}  // namespace laneway
