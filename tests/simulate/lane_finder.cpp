// SPDX-License-Identifier: BSD-3-Clause
// Weights of lanes by times of measurements, with noise from a seeded generator.
#include "learn/lane_finder.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>

#include "cases/case.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;
using Weights = std::vector<std::int64_t>;

/// A program's lanes: their true times, which processes see longer by noise.
class Lanes {
public:
    Lanes(Weights weights, double noise, unsigned seed)
        : finder_(std::move(weights)),
          noise_(noise),
          generator_(seed)
    {
    }

    /// Measures so many times. Returns the number of changes.
    int measure(const std::vector<double>& seconds, int times)
    {
        int changes = 0;
        for (int i = 0; i < times; ++i) changes += measure(seconds);
        return changes;
    }
    bool measure(const std::vector<double>& seconds)
    {
        std::exponential_distribution<double> late(1 / noise_);
        std::vector<double> latest;
        for (const double each : seconds) latest.push_back(each * (1 + late(generator_)));
        seen_.push_back(latest);
        if (seen_.size() > LaneFinder::window) seen_.pop_front();
        std::vector<double> least = latest;
        for (const auto& earlier : seen_)
            for (std::size_t lane = 0; lane < least.size(); ++lane)
                least[lane] = std::min(least[lane], earlier[lane]);
        return finder_.take(least, latest);
    }
    const LaneFinder& finder() const { return finder_; }
    double ratio(std::size_t one, std::size_t other) const
    {
        const Weights& weights = finder_.weights();
        return weights.empty()
                   ? 1
                   : static_cast<double>(weights[one]) / static_cast<double>(weights[other]);
    }

private:
    LaneFinder finder_;
    double noise_;
    std::mt19937 generator_;
    std::deque<std::vector<double>> seen_;
};

const Register found("lanes of 2 and 1 are found in four measurements, without noise exactly", [] {
    Lanes lanes({}, 1e-9, 1);
    EQUAL(lanes.measure({1, 2}, 4), 1);
    TRUE(lanes.finder().weights() == (Weights{1000, 500}));
    EQUAL(lanes.measure({1, 2}, 100), 0);
    EQUAL(lanes.finder().patience(), std::int64_t{128});
});

const Register noisy("with noise they are found as well, to some per cent", [] {
    for (unsigned seed = 0; seed < 100; ++seed)
        for (const double slow : {2.0, 10.0}) {
            Lanes lanes({}, 0.05, seed);
            lanes.measure({slow, 1, 1}, 20);
            TRUE(std::abs(lanes.ratio(1, 0) / slow - 1) < 0.15);
            TRUE(std::abs(lanes.ratio(1, 2) - 1) < 0.15);
        }
});

const Register alike_lanes("lanes that are alike stay so, whatever the noise", [] {
    for (unsigned seed = 0; seed < 100; ++seed) {
        Lanes lanes({}, 0.05, seed);
        EQUAL(lanes.measure({1, 1}, 100), 0);
    }
});

const Register healed("a lane that falls back or heals is followed, and measured often meanwhile",
                      [] {
                          Lanes lanes({}, 1e-9, 1);
                          lanes.measure({1, 1}, 20);
                          EQUAL(lanes.finder().patience(), std::int64_t{128});
                          lanes.measure({1, 10}, 1);
                          EQUAL(lanes.finder().patience(), std::int64_t{1});
                          lanes.measure({1, 10}, 4);
                          TRUE(lanes.finder().weights() == (Weights{1000, 100}));
                          lanes.measure({1, 1}, 5);
                          TRUE(lanes.finder().weights().empty());
                      });

const Register wrong_weights("weights that somebody said hold until lanes speak against them", [] {
    Lanes right({2, 1}, 1e-9, 1), wrong({1, 2}, 1e-9, 1);
    EQUAL(right.measure({1, 2}, 20), 0);
    EQUAL(wrong.measure({1, 2}, 20), 1);
    TRUE(wrong.finder().weights() == (Weights{1000, 500}));
});

const Register restless("lanes that never come to rest are not followed for ever", [] {
    Lanes lanes({}, 1e-9, 1);
    int changes = 0;
    for (int i = 0; i < 200; ++i) changes += lanes.measure({1, i % 2 == 0 ? 3.0 : 9.0}, 6);
    EQUAL(changes, 16);
});

}  // namespace
}  // namespace laneway::simulate
