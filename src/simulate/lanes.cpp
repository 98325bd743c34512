// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/lanes.hpp"

#include <algorithm>
#include <cstdint>

#include "choose/lane_weights.hpp"
#include "text/text.hpp"

namespace laneway::simulate {

NetworkLanes lanes_of(int number, const std::string& weights)
{
    if (weights.empty()) return std::max(number, 1);
    try {
        return weighted_lanes(weights, number, "--lanes");
    } catch (const Misunderstood& why) {
        throw Misunderstood(std::string("--lane-weights: ") + why.what());
    }
}

std::vector<double> slowness(const NetworkLanes& lanes)
{
    std::vector<double> factors;
    for (const std::int64_t weight : lanes.weights)
        factors.push_back(weight == 0 ? static_cast<double>(NetworkLanes::most)
                                      : static_cast<double>(std::ranges::max(lanes.weights)) /
                                            static_cast<double>(weight));
    return factors;
}

}  // namespace laneway::simulate
