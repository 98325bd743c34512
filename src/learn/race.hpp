// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "learn/evidence.hpp"

namespace laneway {

/// Several ways of serving calls of one class, which take turns. A round has one turn for the leader and for some that
/// still run; only times of one round are compared.
class Race {
public:
    /// Native, what would serve anyway, and three more.
    static constexpr int most_ways = 5;
    /// Times of a round in seconds, by way; 0: it had no turn.
    using Round = std::array<double, most_ways>;

    /// `standard`: the one of the `ways` that serves unless another one is shown to be faster.
    Race(int ways, int standard) : ways_(ways), standard_(standard), leader_(standard)
    {
        runs_.fill(false);
        std::fill_n(runs_.begin(), ways, true);
    }

    /// Takes the times of a round. The first round warms up: it decides nothing by itself.
    void add(const Round& round);

    /// The fastest that is known to be faster than the standard; else the standard.
    int leader() const { return leader_; }
    int standard() const { return standard_; }
    bool runs(int way) const { return runs_[static_cast<std::size_t>(way)]; }
    /// The ways that run, in order.
    std::vector<int> running() const;
    int rounds() const { return static_cast<int>(rounds_.size()); }
    const std::vector<Round>& all() const { return rounds_; }

    /// Whether no other way than the leader runs any more: none is known to be faster.
    bool has_ended() const { return running().size() == 1; }

    /// How many times as fast the leader is as `way`. Empty: there was no round of both.
    std::optional<Interval> gain_over(int way) const;
    /// The median time of a way over the rounds that it has run in, without the first if there are others. 0: not known.
    double time_of(int way) const;

private:
    std::vector<double> log_ratios(int slower, int faster) const;
    bool is_hopeless(int way) const;
    bool follow_faster();
    void drop_slower();

    int ways_;
    int standard_;
    int leader_;
    std::array<bool, most_ways> runs_{};
    std::vector<Round> rounds_;
};

}  // namespace laneway
