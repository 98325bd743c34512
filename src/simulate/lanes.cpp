// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/lanes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

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

namespace {

/// By node, its number in Mapping.
std::vector<std::size_t> weighed(const NetworkLanes& lanes, int nodes)
{
    std::vector<std::size_t> result(static_cast<std::size_t>(nodes));
    for (std::size_t number = 1; number <= lanes.of_nodes.size(); ++number) try {
            const std::int64_t node =
                laneway::number(lanes.of_nodes[number - 1].node, 0, nodes - 1);
            result[static_cast<std::size_t>(node)] = number;
        } catch (const Misunderstood& why) {
            throw Misunderstood(std::string("--lane-weights: no number of a node: ") + why.what());
        }
    return result;
}

}  // namespace

std::shared_ptr<const Layout> layout_of(Mapping mapping, const NetworkLanes& lanes)
{
    mapping.weighed = weighed(lanes, static_cast<int>(mapping.nodes.size()));
    return std::make_shared<const Layout>(std::move(mapping), lanes);
}

std::vector<double> slowness(const NetworkLanes& lanes, int nodes)
{
    std::vector<double> factors;
    if (lanes.weights.empty()) return factors;
    std::int64_t most = std::ranges::max(lanes.weights);
    for (const auto& [node, weights] : lanes.of_nodes)
        most = std::max(most, std::ranges::max(weights));
    const auto add = [&](const LaneWeights& weights) {
        for (const std::int64_t weight : weights)
            factors.push_back(weight == 0
                                  ? static_cast<double>(NetworkLanes::most)
                                  : static_cast<double>(most) / static_cast<double>(weight));
    };
    if (lanes.of_nodes.empty()) {
        add(lanes.weights);
        return factors;
    }
    for (const std::size_t number : weighed(lanes, nodes)) add(lanes.weights_of(number));
    return factors;
}

}  // namespace laneway::simulate
