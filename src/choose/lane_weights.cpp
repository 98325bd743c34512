// SPDX-License-Identifier: BSD-3-Clause
#include "choose/lane_weights.hpp"

#include <algorithm>
#include <string>

#include "layout/layout.hpp"
#include "text/text.hpp"

namespace laneway {

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

}  // namespace laneway
