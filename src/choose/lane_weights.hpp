// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace laneway {

/// The weights of `2:1`: of each network lane of a node, in the order of their numbers. Throws Misunderstood.
std::vector<std::int64_t> lane_weights(std::string_view text);

}  // namespace laneway
