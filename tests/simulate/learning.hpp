// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "learn/learner.hpp"

namespace laneway::simulate {

/// A class of calls whose ways take so long, each time with noise: log-normal, and one call in twenty takes three times
/// as long.
struct Calls {
    std::vector<double> seconds;  ///< true times of the ways; the first one is the standard
    double sigma = 0.1;
    double reduction = 0;  ///< seconds
    /// The true time of a way from that call on, where it changes.
    std::function<double(int way, int call)> changed = {};
    /// Calls that begin one after the other before the program waits for all of them. Nobody knows which of them the
    /// time belongs to: each has an equal part.
    int burst = 1;
};

/// The outcome.
struct Learnt {
    int leader;
    bool decided;
    int decided_after;  ///< calls; those simulated where it was not decided
    double total;       ///< seconds in these calls, and in reductions
    double standard;    ///< seconds that the standard alone would have taken
    double best;        ///< seconds that the best way would have taken
};

/// Goes through `count` calls of one class, each of which all processes meet in.
inline Learnt learn(const Calls& calls, int count, std::uint64_t seed, bool known = false)
{
    Learner learner({static_cast<int>(calls.seconds.size()), 0, seed, known});
    std::mt19937_64 random(seed * 7919 + 1);
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<int> one_in_twenty(0, 19);
    Budget budget{0, calls.reduction};
    Learnt found{0, false, count, 0, 0, 0};
    for (int call = 0; call < count; call += calls.burst) {
        std::vector<Learner::Call> begun;
        double took = 0;
        for (int each = call; each < call + calls.burst; ++each) {
            const double noise =
                std::exp(calls.sigma * normal(random)) * (one_in_twenty(random) == 0 ? 3 : 1);
            const auto of = [&](int way) {
                return noise * (calls.changed ? calls.changed(way, each)
                                              : calls.seconds[static_cast<std::size_t>(way)]);
            };
            begun.push_back(learner.begin());
            took += of(begun.back().way);
            double best = of(0);
            for (int way = 1; way < static_cast<int>(calls.seconds.size()); ++way)
                best = std::min(best, of(way));
            found.best += best;
            found.standard += of(0);
        }
        for (const Learner::Call& each : begun) learner.took(each, took / calls.burst);
        budget.total += took;
        if (learner.is_due() && learner.is_whole()) {
            learner.take(learner.own(), learner.most_under_way(), budget);
            budget.total += calls.reduction;
            if (learner.is_decided() && found.decided_after == count)
                found.decided_after = call + calls.burst;
        }
    }
    found.leader = learner.leader();
    found.decided = learner.is_decided();
    found.total = budget.total;
    return found;
}

}  // namespace laneway::simulate
