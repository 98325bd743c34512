// SPDX-License-Identifier: BSD-3-Clause
// Which nodes exchange data in a benchmark of lanes.
#include "patterns/neighbours.hpp"

#include <algorithm>

#include "cases/case.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

std::vector<std::vector<Neighbours>> of_all(const NodePattern& pattern, int nodes)
{
    std::vector<std::vector<Neighbours>> found;
    for (int node = 0; node < nodes; ++node) found.push_back(pattern.steps(node, nodes));
    return found;
}

const Register matched(
    "what one node of a pattern sends, another one receives in the same step", [] {
        for (const NodePattern& pattern : node_patterns())
            for (int nodes = 2; nodes < 10; ++nodes) {
                const auto found = of_all(pattern, nodes);
                for (std::size_t step = 0; step < found[0].size(); ++step)
                    for (int node = 0; node < nodes; ++node) {
                        const auto own = static_cast<std::size_t>(node);
                        for (const int other : found[own][step].to) {
                            const auto& theirs = found[static_cast<std::size_t>(other)][step].from;
                            TRUE(std::ranges::count(theirs, node) ==
                                 std::ranges::count(found[own][step].to, other));
                        }
                        TRUE(std::ranges::count(found[own][step].to, node) == 0);
                    }
            }
    });

const Register known("patterns between nodes are those that their names say", [] {
    TRUE(node_pattern("next")->steps(3, 4)[0].to == std::vector{0});
    TRUE(node_pattern("pairs")->steps(4, 5)[0].to.empty());  // the last of five has no partner
    TRUE(node_pattern("pairs")->steps(3, 5)[0].to == std::vector{2});
    TRUE(node_pattern("both")->steps(0, 4)[0].to == (std::vector{1, 3}));
    TRUE(node_pattern("all")->steps(0, 4).size() == 3);
    TRUE(node_pattern("hypercube")->steps(5, 8).size() == 3);
    TRUE(node_pattern("hypercube")->steps(5, 8)[2].from == std::vector{1});
    TRUE(node_pattern("hypercube")->steps(4, 5)[0].to.empty());
    TRUE(node_pattern("elsewhere") == nullptr);
});

}  // namespace
}  // namespace laneway::simulate
