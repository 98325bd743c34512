// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace laneway {

/// The weights of network lanes, by the times that all lanes took for as many bytes at once. All processes give the same
/// times, and so find the same weights.
class LaneFinder {
public:
    /// Begins with these weights; empty: the lanes are taken to be alike.
    explicit LaneFinder(std::vector<std::int64_t> weights) : weights_(std::move(weights)) {}

    /// Takes the times of one measurement in seconds, lane by lane. `least` are the shortest ones of the latest few,
    /// `latest` are those of this one. True: there are other weights now.
    bool take(std::span<const double> least, std::span<const double> latest);

    /// The weights of the lanes; empty: they are alike.
    const std::vector<std::int64_t>& weights() const { return weights_; }

    /// The next measurement comes after so many times the data that the first one came after.
    std::int64_t patience() const { return std::int64_t{1} << quiet_; }

    /// Measurements of which the shortest times count.
    static constexpr std::size_t window = 3;

private:
    double loss(std::span<const std::int64_t> weights, std::span<const double> seconds) const;
    bool adopt(std::vector<std::int64_t> weights);

    std::vector<std::int64_t> weights_;
    int measured_ = 0;
    int lossy_ = 0;    ///< measurements in a row in which other weights would have gained
    int quiet_ = 0;    ///< measurements in a row that spoke for the weights, up to a limit
    int changes_ = 0;  ///< that the weights have seen
};

}  // namespace laneway
