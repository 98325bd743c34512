// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>

namespace laneway {

/// The evidence, in pairs of times, that one way of serving a call is faster than another one.
///
/// It is a bet on the sign of each pair's log ratio, the higher the longer the ratio is. Let neither way be faster, and
/// their turns be drawn: then both signs are as likely, whatever the times. A bettor's wealth is a martingale
/// then. It reaches 1/error with a probability of `error` at most, however often one looks (Ville). Times may
/// have tails of any weight: a single pair never gives more than a factor of 2.
class Evidence {
public:
    /// Adds a pair: the log of the other way's time divided by this one's.
    void add(double log_ratio);

    /// The log of what a bettor has who began with 1, and shared it out among bets of several heights.
    double log() const;

private:
    /// A bet wins most of what it can where the log ratio times this is above 1: from 100% to 1%.
    static constexpr std::array<double, 5> heights{0.5, 1.5, 5, 15, 50};
    std::array<double, heights.size()> logs_{};
};

struct Interval {
    double least = 0;
    double most = 0;
};

/// The ratios that pairs of log ratios, one at least, do not speak against. The true median is outside with a
/// probability of `error` at most, however often one looks.
Interval ratios(std::span<const double> logs, double error);

/// The median; of an even number, the mean of both in the middle. Changes the order of `numbers`, of which there is one
/// at least.
double median(std::span<double> numbers);

}  // namespace laneway
