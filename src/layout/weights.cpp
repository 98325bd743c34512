// SPDX-License-Identifier: BSD-3-Clause
#include "layout/weights.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

namespace laneway {
namespace {

std::int64_t sum(const LaneWeights& weights)
{
    return std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
}

/// All data on the way to the root are so many units. Products of units, weights and times are no overflow.
constexpr std::int64_t units = std::int64_t{1} << 20;
/// A time is what all lanes of the root together carry in it. No sensible weights lead to a longer one.
constexpr std::int64_t longest = std::int64_t{1} << 38;

/// The data that nodes send to the root in some time, node after node.
class Towards {
public:
    Towards(const LaneWeights& root, const std::vector<LaneWeights>& between,
            const std::vector<std::int64_t>& sizes)
        : root_(root),
          between_(between),
          in_order_(sizes.size()),
          units_(sizes)
    {
        const std::int64_t unit =
            std::max<std::int64_t>(1, units / std::max<std::int64_t>(1, sum(sizes)));
        for (std::int64_t& each : units_) each *= unit;
        std::iota(in_order_.begin(), in_order_.end(), std::size_t{0});
        // Nodes with little choice come first, and those that can make up for it later.
        std::ranges::stable_sort(in_order_, [&](std::size_t one, std::size_t other) {
            return sum(between[one]) * sizes[other] < sum(between[other]) * sizes[one];
        });
    }

    /// No lane of the root, and no node, can be done earlier. (A bit later, since all is rounded down.)
    std::int64_t earliest() const
    {
        std::int64_t time = sum(units_);
        for (std::size_t node = 0; node < units_.size(); ++node)
            time = std::max(time, units_[node] * sum(root_) / sum(between_[node]));
        constexpr std::int64_t a_bit = 256;
        return time + time / a_bit + 1;
    }

    /// The weights by which all comes in so much time; none: it doesn't.
    std::optional<std::vector<LaneWeights>> within(std::int64_t time) const
    {
        const auto carried = [&](std::int64_t weight) { return weight * time / sum(root_); };
        LaneWeights left;  // that the root's lanes can still take
        for (const std::int64_t weight : root_) left.push_back(carried(weight));
        std::vector<LaneWeights> result = between_;
        for (const std::size_t node : in_order_) {
            if (units_[node] == 0) continue;
            LaneWeights& own = result[node];
            for (std::size_t lane = 0; lane < own.size(); ++lane)
                own[lane] = std::min({carried(own[lane]), left[lane], sum(units_)});
            const std::int64_t all = sum(own);
            if (all < units_[node]) return std::nullopt;
            for (std::size_t lane = 0; lane < own.size(); ++lane)
                left[lane] -= units_[node] * own[lane] / all;
        }
        return result;
    }

private:
    const LaneWeights& root_;
    const std::vector<LaneWeights>& between_;
    std::vector<std::size_t> in_order_;  ///< nodes
    std::vector<std::int64_t> units_;    ///< that each node sends
};

}  // namespace

LaneWeights least_of(const std::vector<LaneWeights>& nodes)
{
    LaneWeights least = nodes.front();
    for (const LaneWeights& node : nodes)
        std::ranges::transform(
            least, node, least.begin(),
            [](std::int64_t one, std::int64_t other) { return std::min(one, other); });
    if (sum(least) == 0) std::ranges::fill(least, 1);
    return least;
}

std::vector<LaneWeights> towards(const LaneWeights& root, std::vector<LaneWeights> between,
                                 const std::vector<std::int64_t>& sizes)
{
    constexpr std::int64_t step = 8;
    const Towards sent(root, between, sizes);
    for (std::int64_t time = sent.earliest(); time < longest; time += time / step)
        if (auto weights = sent.within(time)) return *std::move(weights);
    return between;
}

}  // namespace laneway
