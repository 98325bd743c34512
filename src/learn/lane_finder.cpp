// SPDX-License-Identifier: BSD-3-Clause
#include "learn/lane_finder.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace laneway {
namespace {

/// A weight is a whole number up to this one: a lane carries that or less in the time of the fastest.
constexpr double finest = 1000;

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

std::vector<std::int64_t> weights_by(std::span<const double> seconds)
{
    const double fastest = std::ranges::min(seconds);
    std::vector<std::int64_t> weights;
    for (const double each : seconds)
        weights.push_back(static_cast<std::int64_t>(std::llround(finest * fastest / each)));
    return weights;
}

}  // namespace

/// How many times as long data take by these weights as by the best ones.
double LaneFinder::loss(std::span<const std::int64_t> weights,
                        std::span<const double> seconds) const
{
    const auto weight = [&](std::size_t lane) {
        return weights.empty() ? 1.0 : static_cast<double>(weights[lane]);
    };
    double all = 0, rates = 0, longest = 0;
    for (std::size_t lane = 0; lane < seconds.size(); ++lane) {
        all += weight(lane);
        rates += 1 / seconds[lane];
        longest = std::max(longest, weight(lane) * seconds[lane]);
    }
    return longest / all * rates;
}

bool LaneFinder::take(std::span<const double> least, std::span<const double> latest)
{
    if (++measured_ < enough) return false;
    if (loss(weights_, least) <= (weights_.empty() ? worth_it_if_alike : worth_it)) {
        lossy_ = 0;
        quiet_ = loss(weights_, latest) > suspicious ? 0 : std::min(quiet_ + 1, most_quiet);
        return false;
    }
    quiet_ = 0;
    if (++lossy_ < enough || changes_ == most_changes) return false;
    return adopt(loss({}, least) < as_good_as_alike ? std::vector<std::int64_t>()
                                                    : weights_by(least));
}

bool LaneFinder::adopt(std::vector<std::int64_t> weights)
{
    lossy_ = 0;
    ++changes_;
    return std::exchange(weights_, std::move(weights)) != weights_;
}

}  // namespace laneway
