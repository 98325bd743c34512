// SPDX-License-Identifier: BSD-3-Clause
#include "choose/lane_weights.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "text/text.hpp"

namespace laneway {

namespace {

LaneWeights lane_weights(std::string_view text)
{
    const auto refuse = [&](const std::string& why) {
        throw Misunderstood(in_quotes(text) + " are no weights of lanes such as 2:1: " + why);
    };
    if (text.empty() || text.ends_with(':')) refuse("one is missing");
    LaneWeights weights;
    for (std::string_view rest = text; !rest.empty();) try {
            weights.push_back(number(next(rest, ':'), 0, NetworkLanes::most));
        } catch (const Misunderstood& why) {
            refuse(why.what());
        }
    if (std::ranges::all_of(weights, [](std::int64_t weight) { return weight == 0; }))
        refuse("some lane must carry something");
    return weights;
}

/// The weights of one node, such as `node2=10:1`, where all others have those of `lanes`.
NetworkLanes::OfNode weights_of_node(std::string_view text, const NetworkLanes& lanes)
{
    const std::string_view node = text.substr(0, text.find('='));
    if (node.empty() || node.size() == text.size())
        throw Misunderstood(in_quotes(text) + " are no weights of a node such as node2=10:1");
    LaneWeights weights = lane_weights(text.substr(node.size() + 1));
    if (weights.size() != lanes.weights.size())
        throw Misunderstood(in_quotes(text) + " are " + std::to_string(weights.size()) +
                            " weights, and there are " + std::to_string(lanes.number) + " lanes");
    for (const auto& [other, its] : lanes.of_nodes)
        if (other == node)
            throw Misunderstood("weights of " + in_quotes(node) + " are there twice");
    return {std::string(node), std::move(weights)};
}

}  // namespace

NetworkLanes weighted_lanes(std::string_view text, int number, std::string_view who)
{
    LaneWeights of_each = lane_weights(next(text, ','));
    const int lanes = static_cast<int>(of_each.size());
    if (number > 0 && number != lanes)
        throw Misunderstood(std::to_string(lanes) + " weights, and " +
                            (who.empty() ? std::to_string(number) + " lanes"
                                         : std::string(who) + " says " + std::to_string(number)));
    NetworkLanes result(lanes, std::move(of_each));
    if (text.ends_with(','))
        throw Misunderstood("weights of a node are missing after the last ','");
    while (!text.empty()) result.of_nodes.push_back(weights_of_node(next(text, ','), result));
    return result;
}

std::string in_words(const NetworkLanes& lanes)
{
    const auto row = [](const LaneWeights& weights) {
        std::string words;
        for (const std::int64_t weight : weights)
            words += (words.empty() ? "" : ":") + std::to_string(weight);
        return words;
    };
    std::string words = row(lanes.weights);
    for (const auto& [node, weights] : lanes.of_nodes) words += "," + node + "=" + row(weights);
    return words;
}

std::size_t weighed_as(const NetworkLanes& lanes, std::string_view node)
{
    const auto found = std::ranges::find_if(lanes.of_nodes, [&](const NetworkLanes::OfNode& one) {
        return one.node == node || one.node == node.substr(0, node.find('.'));
    });
    return found == lanes.of_nodes.end()
               ? 0
               : static_cast<std::size_t>(found - lanes.of_nodes.begin()) + 1;
}

}  // namespace laneway
