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
using Times = LaneFinder::Times;

constexpr std::size_t nodes_of_lanes = 3;

/// The lanes of a program's nodes: their true times, which processes see longer by noise.
class Lanes {
public:
    Lanes(const Weights& weights, double noise, unsigned seed)
        : finder_(LaneFinder::Weights(weights.empty() ? 0 : nodes_of_lanes, weights)),
          noise_(noise),
          generator_(seed)
    {
    }

    /// Measures so many times, with the same lanes on all nodes. Returns the number of changes.
    int measure(const std::vector<double>& seconds, int times)
    {
        return measure(Times(nodes_of_lanes, seconds), times);
    }
    /// Measures so many times, with these times of the lanes of each node.
    int measure(const Times& of_nodes, int times)
    {
        int changes = 0;
        for (int i = 0; i < times; ++i) changes += measure_links(links(of_nodes));
        return changes;
    }
    /// Measures once, with these times of the links to each node.
    bool measure_links(const Times& of_links)
    {
        std::exponential_distribution<double> late(1 / noise_);
        Times latest = of_links;
        for (auto& link : latest)
            for (double& each : link) each *= 1 + late(generator_);
        seen_.push_back(latest);
        if (seen_.size() > LaneFinder::window) seen_.pop_front();
        Times least = latest;
        for (const Times& earlier : seen_)
            for (std::size_t node = 0; node < least.size(); ++node)
                for (std::size_t lane = 0; lane < least[node].size(); ++lane)
                    least[node][lane] = std::min(least[node][lane], earlier[node][lane]);
        return finder_.take(least, latest);
    }
    const LaneFinder& finder() const { return finder_; }
    Weights weights(std::size_t node = 0) const
    {
        return finder_.weights().empty() ? Weights() : finder_.weights()[node];
    }
    double ratio(std::size_t one, std::size_t other) const
    {
        const Weights its = weights();
        return its.empty() ? 1 : static_cast<double>(its[one]) / static_cast<double>(its[other]);
    }

private:
    /// A link is as slow as its slower end.
    static Times links(const Times& of_nodes)
    {
        Times result = of_nodes;
        for (std::size_t node = 0; node < of_nodes.size(); ++node)
            for (std::size_t lane = 0; lane < of_nodes[node].size(); ++lane)
                result[node][lane] =
                    std::max(of_nodes[node][lane],
                             of_nodes[(node + of_nodes.size() - 1) % of_nodes.size()][lane]);
        return result;
    }

    LaneFinder finder_;
    double noise_;
    std::mt19937 generator_;
    std::deque<Times> seen_;
};

const Register found("lanes of 2 and 1 are found in four measurements, without noise exactly", [] {
    Lanes lanes({}, 1e-9, 1);
    EQUAL(lanes.measure({1, 2}, 4), 1);
    TRUE(lanes.weights() == (Weights{1000, 500}));
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
                          TRUE(lanes.weights() == (Weights{1000, 100}));
                          lanes.measure({1, 1}, 5);
                          TRUE(lanes.finder().weights().empty());
                      });

const Register wrong_weights("weights that somebody said hold until lanes speak against them", [] {
    Lanes right({2, 1}, 1e-9, 1), wrong({1, 2}, 1e-9, 1);
    EQUAL(right.measure({1, 2}, 20), 0);
    EQUAL(wrong.measure({1, 2}, 20), 1);
    TRUE(wrong.weights() == (Weights{1000, 500}));
});

const Register sick_alone(
    "one node alone with a slow lane has weights of its own, and others keep theirs", [] {
        for (unsigned seed = 0; seed < 100; ++seed)
            for (const double noise : {1e-9, 0.02}) {
                Lanes lanes({}, noise, seed);
                lanes.measure(Times{{1, 1}, {1, 10}, {1, 1}}, 12);
                EQUAL(lanes.weights(0)[0], 1000);
                EQUAL(lanes.weights(0)[1], 1000);
                EQUAL(lanes.weights(2)[1], 1000);
                TRUE(std::abs(lanes.weights(1)[1] - 100) < 20);
                lanes.measure(Times{{1, 1}, {1, 10}, {3, 1}}, 12);
                TRUE(std::abs(lanes.weights(2)[0] - 333) < 40);
                lanes.measure(Times(nodes_of_lanes, {1, 1}), 12);
                TRUE(lanes.finder().weights().empty());
            }
    });

const Register sick_in_noise("noise on the links of the slow lane makes no other node slow", [] {
    for (unsigned seed = 0; seed < 200; ++seed) {
        Lanes lanes({}, 0.1, seed);
        lanes.measure(Times{{1, 1}, {1, 10}, {1, 1}}, 12);
        TRUE(lanes.weights(0)[1] > 700);
        TRUE(lanes.weights(2)[1] > 700);
        TRUE(lanes.weights(1)[1] < 150);
    }
});

const Register one_way_slow("a link that is slow in one direction slows both of its ends", [] {
    Lanes lanes({}, 1e-9, 1);
    for (int i = 0; i < 4; ++i) lanes.measure_links({{1, 1}, {1, 5}, {1, 1}});
    EQUAL(lanes.weights(0)[1], 200);
    EQUAL(lanes.weights(1)[1], 200);
    EQUAL(lanes.weights(2)[1], 1000);
});

const Register mixed_nodes("nodes whose lanes are all slower lose nothing, and lanes are alike",
                           [] {
                               Lanes lanes({}, 1e-9, 1);
                               EQUAL(lanes.measure(Times{{1, 1}, {2, 2}, {1, 1}}, 20), 0);
                               lanes.measure(Times{{1, 2}, {2, 4}, {1, 2}}, 6);
                               for (std::size_t node = 0; node < nodes_of_lanes; ++node)
                                   TRUE(lanes.weights(node) == (Weights{500, 250}));
                           });

const Register restless("lanes that never come to rest are not followed for ever", [] {
    Lanes lanes({}, 1e-9, 1);
    int changes = 0;
    for (int i = 0; i < 200; ++i) changes += lanes.measure({1, i % 2 == 0 ? 3.0 : 9.0}, 6);
    EQUAL(changes, 16);
});

}  // namespace
}  // namespace laneway::simulate
