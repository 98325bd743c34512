// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace laneway {

/// The weights of the network lanes of nodes, by the times that all lanes took for as many bytes at once. All processes
/// give the same times, and so find the same weights.
class LaneFinder {
public:
    /// By node, and by lane.
    using Weights = std::vector<std::vector<std::int64_t>>;
    /// Seconds by node, and by lane: the time of data that came to the node over the lane from the node before. Before
    /// the first node is the last one.
    using Times = std::vector<std::vector<double>>;

    /// Begins with these weights; none: the lanes are taken to be alike.
    explicit LaneFinder(Weights weights) : weights_(std::move(weights)) {}

    /// Takes the times of one measurement. `least` are the shortest ones of the latest few, `latest` are those of this
    /// one. True: there are other weights now.
    bool take(const Times& least, const Times& latest);

    /// The weight of the fastest lane of all.
    static constexpr std::int64_t finest = 1000;

    /// The weights of all nodes, on one scale; none: lanes are alike.
    const Weights& weights() const { return weights_; }

    /// The next measurement comes after so many times the data that the first one came after.
    std::int64_t patience() const { return std::int64_t{1} << quiet_; }

    /// Measurements of which the shortest times count.
    static constexpr std::size_t window = 3;

private:
    double loss(const Times& of_nodes) const;
    bool adopt(Weights weights);

    Weights weights_;
    int measured_ = 0;
    int lossy_ = 0;    ///< measurements in a row in which other weights would have gained
    int quiet_ = 0;    ///< measurements in a row that spoke for the weights, up to a limit
    int changes_ = 0;  ///< that the weights have seen
};

}  // namespace laneway
