// SPDX-License-Identifier: BSD-3-Clause
#include "layout/layout.hpp"

#include <algorithm>
#include <utility>

namespace laneway {

Layout::Layout(Nodes nodes, int network_lanes) : members_(std::move(nodes))
{
    std::size_t ranks = 0;
    smallest_ = members_.front().size();
    for (const auto& node : members_) {
        ranks += node.size();
        smallest_ = std::min(smallest_, node.size());
        largest_ = std::max(largest_, node.size());
    }
    regular_ = smallest_ == largest_;

    places_.resize(ranks);
    int next = 0;
    for (std::size_t node = 0; node < members_.size(); ++node) {
        starts_.push_back(next);
        for (std::size_t local = 0; local < members_[node].size(); ++local) {
            const int rank = members_[node][local];
            places_[static_cast<std::size_t>(rank)] = {static_cast<int>(node),
                                                       static_cast<int>(local)};
            consecutive_ = consecutive_ && rank == next;
            ++next;
        }
    }

    const auto wanted = static_cast<std::size_t>(std::max(network_lanes, 0));
    on_lane_.resize(std::max(smallest_, std::min(wanted, largest_)));
    for (int lane = 0; lane < lanes(); ++lane)
        for (int node = 0; node < this->nodes(); ++node)
            on_lane_[static_cast<std::size_t>(lane)].push_back(
                members(node)[static_cast<std::size_t>(owner(lane, node))]);
}

Layout::Place Layout::by_node(int index) const
{
    const auto after = std::ranges::upper_bound(starts_, index);
    const auto node = static_cast<int>(after - starts_.begin()) - 1;
    return {node, index - starts_at(node)};
}

}  // namespace laneway
