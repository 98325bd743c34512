// SPDX-License-Identifier: BSD-3-Clause
#include "learn/lane_finder.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace laneway {
namespace {

/// Shares by other weights must be worth this factor of a call's time. Lanes that are alike have faster algorithms, and
/// times have noise.
constexpr double worth_it = 1.06, worth_it_if_alike = 1.10, as_good_as_alike = 1.04;

/// A lane that suddenly takes so much longer is measured more often.
constexpr double suspicious = 1.5;

/// So many measurements in a row must speak for other weights.
constexpr int enough = 2;

/// Weights that never come to rest are none: then those found last stay.
constexpr int most_changes = 16;

/// Measurements are rarer by this power of 2 at most.
constexpr int most_quiet = 7;

using Row = std::vector<std::int64_t>;
using Seconds = std::vector<double>;

/// How many times as long data of one node take by these weights as by the best ones; no weights: lanes are alike.
double loss_of(const Row& weights, const Seconds& seconds)
{
    double all = 0, rates = 0, longest = 0;
    for (std::size_t lane = 0; lane < seconds.size(); ++lane) {
        const double weight = weights.empty() ? 1.0 : static_cast<double>(weights[lane]);
        all += weight;
        rates += 1 / seconds[lane];
        longest = std::max(longest, weight * seconds[lane]);
    }
    return longest / all * rates;
}

/// The times of the lanes of each node. A link between two nodes is as slow as its slower end. So a node is as fast as
/// on the faster of its two links. A link that is much slower than both of its ends slows both.
LaneFinder::Times of_ends(const LaneFinder::Times& links)
{
    const std::size_t nodes = links.size();
    LaneFinder::Times ends = links;
    for (std::size_t node = 0; node < nodes; ++node)
        for (std::size_t lane = 0; lane < links[node].size(); ++lane)
            ends[node][lane] = std::min(links[node][lane], links[(node + 1) % nodes][lane]);
    const LaneFinder::Times faster = ends;
    for (std::size_t node = 0; node < nodes; ++node)
        for (std::size_t lane = 0; lane < links[node].size(); ++lane) {
            const std::size_t before = (node + nodes - 1) % nodes;
            const double link = links[node][lane];
            if (link <= suspicious * std::max(faster[before][lane], faster[node][lane])) continue;
            ends[node][lane] = std::max(ends[node][lane], link);
            ends[before][lane] = std::max(ends[before][lane], link);
        }
    return ends;
}

/// The weights of all nodes. Nodes that lose nothing by the weights of the slowest have these. On others a lane that is
/// nearly as fast as the fastest is as fast.
LaneFinder::Weights weights_by(const LaneFinder::Times& of_nodes)
{
    Seconds slowest = of_nodes.front();
    double fastest = slowest.front();
    for (const Seconds& seconds : of_nodes) {
        fastest = std::min(fastest, std::ranges::min(seconds));
        std::ranges::transform(slowest, seconds, slowest.begin(),
                               [](double one, double other) { return std::max(one, other); });
    }
    const auto weights = [&](const Seconds& seconds) {
        Row row;
        for (const double each : seconds)
            row.push_back(
                std::max<std::int64_t>(std::llround(LaneFinder::finest * fastest / each), 1));
        return row;
    };
    const Row least = weights(slowest);
    LaneFinder::Weights all;
    for (const Seconds& seconds : of_nodes) {
        if (loss_of(least, seconds) <= worth_it) {
            all.push_back(least);
            continue;
        }
        Row& row = all.emplace_back(weights(seconds));
        for (std::int64_t& weight : row)
            if (static_cast<double>(weight) * as_good_as_alike >= LaneFinder::finest)
                weight = LaneFinder::finest;
    }
    return all;
}

}  // namespace

/// The loss of the node that loses most.
double LaneFinder::loss(const Times& of_nodes) const
{
    double most = 1;
    for (std::size_t node = 0; node < of_nodes.size(); ++node)
        most = std::max(most, loss_of(weights_.empty() ? Row() : weights_[node], of_nodes[node]));
    return most;
}

bool LaneFinder::take(const Times& least, const Times& latest)
{
    if (++measured_ < enough) return false;
    const Times shortest = of_ends(least);
    if (loss(shortest) <= (weights_.empty() ? worth_it_if_alike : worth_it)) {
        lossy_ = 0;
        quiet_ = loss(of_ends(latest)) > suspicious ? 0 : std::min(quiet_ + 1, most_quiet);
        return false;
    }
    quiet_ = 0;
    if (++lossy_ < enough || changes_ == most_changes) return false;
    const bool are_alike = LaneFinder({}).loss(shortest) < as_good_as_alike;
    return adopt(are_alike ? Weights() : weights_by(shortest));
}

bool LaneFinder::adopt(Weights weights)
{
    lossy_ = 0;
    ++changes_;
    return std::exchange(weights_, std::move(weights)) != weights_;
}

}  // namespace laneway
