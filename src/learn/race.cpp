// SPDX-License-Identifier: BSD-3-Clause
#include "learn/race.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace laneway {
namespace {

/// The probability, at most, that a class of calls is ever served by a way that is not faster than its standard.
constexpr double error = 0.005;
/// A way that is wrongly taken for a slower one costs what it would have gained, and no more.
constexpr double error_of_leaving = 0.05;

/// After so many rounds, a way runs on only while it looks faster than the leader by that factor. It leaves without a
/// proof: the leader stays, whatever it would have gained.
constexpr int rounds_for_all = 30;
constexpr double promise = 1.03;
constexpr int most_rounds = 200;

/// A way that took so many times as long as another one in each of the first rounds leaves without a proof.
constexpr double hopeless = 3;
/// In the first round after the warm-up alone.
constexpr double hopeless_at_once = 10;

bool is_there(double seconds) { return seconds > 0; }

}  // namespace

std::vector<int> Race::running() const
{
    std::vector<int> found;
    for (int way = 0; way < ways_; ++way)
        if (runs(way)) found.push_back(way);
    return found;
}

/// Logs of the times of `slower` divided by those of `faster`, in the rounds of both; without the first.
std::vector<double> Race::log_ratios(int slower, int faster) const
{
    std::vector<double> found;
    for (std::size_t i = 1; i < rounds_.size(); ++i) {
        const double one = rounds_[i][static_cast<std::size_t>(slower)];
        const double other = rounds_[i][static_cast<std::size_t>(faster)];
        if (is_there(one) && is_there(other)) found.push_back(std::log(one / other));
    }
    return found;
}

bool Race::is_hopeless(int way) const
{
    const auto place = static_cast<std::size_t>(way);
    int own_rounds = 0;
    double least = std::numeric_limits<double>::infinity();  // by which it was behind the fastest
    for (const Round& round : rounds_) {
        if (!is_there(round[place])) continue;
        ++own_rounds;
        double fastest = round[place];
        for (const double other : round)
            if (is_there(other)) fastest = std::min(fastest, other);
        least = std::min(least, round[place] / fastest);
    }
    return (own_rounds > 1 && least > hopeless_at_once) || (own_rounds > 2 && least > hopeless);
}

namespace {

double evidence_of(const std::vector<double>& logs, double sign)
{
    Evidence found;
    for (const double each : logs) found.add(sign * each);
    return found.log();
}

}  // namespace

/// Makes the fastest of those that are known to be faster the leader. False: there is none.
bool Race::follow_faster()
{
    const double enough = std::log((ways_ - 1) / error);
    int best = leader_;
    double most = 0;
    for (const int way : running()) {
        if (way == leader_) continue;
        std::vector<double> logs = log_ratios(leader_, way);
        if (logs.empty() || evidence_of(logs, 1) < enough) continue;
        const double gain = median(logs);
        if (gain > most) {
            most = gain;
            best = way;
        }
    }
    if (best == leader_) return false;
    runs_[static_cast<std::size_t>(leader_)] = false;
    leader_ = best;
    return true;
}

void Race::drop_slower()
{
    const double enough = std::log(1 / error_of_leaving);
    const auto leaves = [&](int way) {
        if (rounds() > most_rounds || is_hopeless(way)) return true;
        std::vector<double> logs = log_ratios(leader_, way);
        if (evidence_of(logs, -1) >= enough) return true;
        return std::cmp_greater_equal(logs.size(), rounds_for_all) &&
               median(logs) < std::log(promise);
    };
    for (const int way : running())
        if (way != leader_ && leaves(way)) runs_[static_cast<std::size_t>(way)] = false;
}

void Race::add(const Round& round)
{
    rounds_.push_back(round);
    while (follow_faster()) {
    }
    drop_slower();
}

std::optional<Interval> Race::gain_over(int way) const
{
    const std::vector<double> logs = log_ratios(way, leader_);
    if (logs.empty()) return std::nullopt;
    return ratios(logs, error_of_leaving);
}

double Race::time_of(int way) const
{
    std::vector<double> times;
    for (std::size_t i = rounds_.size() > 1 ? 1 : 0; i < rounds_.size(); ++i)
        if (const double time = rounds_[i][static_cast<std::size_t>(way)]; is_there(time))
            times.push_back(time);
    return times.empty() ? 0 : median(times);
}

}  // namespace laneway
