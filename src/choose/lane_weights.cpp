// SPDX-License-Identifier: BSD-3-Clause
#include "choose/lane_weights.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "text/text.hpp"

namespace laneway {

namespace {

std::vector<std::int64_t> lane_weights(std::string_view text)
{
    const auto refuse = [&](const std::string& why) {
        throw Misunderstood(in_quotes(text) + " are no weights of lanes such as 2:1: " + why);
    };
    if (text.empty() || text.ends_with(':')) refuse("one is missing");
    std::vector<std::int64_t> weights;
    for (std::string_view rest = text; !rest.empty();) try {
            weights.push_back(number(next(rest, ':'), 0, NetworkLanes::most));
        } catch (const Misunderstood& why) {
            refuse(why.what());
        }
    if (std::ranges::all_of(weights, [](std::int64_t weight) { return weight == 0; }))
        refuse("some lane must carry something");
    return weights;
}

}  // namespace

NetworkLanes weighted_lanes(std::string_view weights, int number, std::string_view who)
{
    std::vector<std::int64_t> of_each = lane_weights(weights);
    const int lanes = static_cast<int>(of_each.size());
    if (number > 0 && number != lanes)
        throw Misunderstood(std::to_string(lanes) + " weights, and " +
                            (who.empty() ? std::to_string(number) + " lanes"
                                         : std::string(who) + " says " + std::to_string(number)));
    return {lanes, std::move(of_each)};
}

}  // namespace laneway
