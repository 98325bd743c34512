// SPDX-License-Identifier: BSD-3-Clause
// Routes, what flows get of shared links, and messages in a network, against what can be worked out by hand.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "carriers/simulated/flows.hpp"
#include "carriers/simulated/topology.hpp"
#include "cases/case.hpp"
#include "texts.hpp"

namespace laneway::simulate {
namespace in_network {
namespace {

using cases::Register;
using Links = std::vector<std::uint32_t>;

Topology torus(std::vector<int> shape, double link_byte = 0, Time hop = 0)
{
    return {.kind = Topology::Kind::torus,
            .shape = std::move(shape),
            .link_byte = link_byte,
            .hop = hop};
}

std::vector<std::string> names(const Routes& routes, int from, int to)
{
    Links links;
    routes.add(from, to, 0, links);
    std::vector<std::string> all;
    for (const std::uint32_t link : links) all.push_back(routes.name(link));
    return all;
}

const Register dimension_order(
    "routes in a torus go dimension after dimension, the shorter way", [] {
        const Routes routes(torus({4, 3, 2}), 24);  // node = (first * 3 + second) * 2 + third
        EQUAL(routes.links(), 24U * 2 * 3);
        using Names = std::vector<std::string>;
        TRUE(names(routes, 0, 23) == Names({"node 0, dimension 0 down", "node 18, dimension 1 down",
                                            "node 22, dimension 2 up"}));
        // Half way round: up from even places, down from odd ones.
        TRUE(names(routes, 0, 12) == Names({"node 0, dimension 0 up", "node 6, dimension 0 up"}));
        TRUE(names(routes, 6, 18) ==
             Names({"node 6, dimension 0 down", "node 0, dimension 0 down"}));
        TRUE(names(routes, 1, 0) == Names({"node 1, dimension 2 down"}));
        TRUE(names(routes, 7, 7).empty());
    });

/// Steps from one node to the others, by going over all links.
std::vector<int> distances(const Topology& topology, int nodes, int from)
{
    std::vector<int> steps(static_cast<std::size_t>(nodes), -1);
    std::vector<int> reached{from};
    steps[static_cast<std::size_t>(from)] = 0;
    for (std::size_t at = 0; at < reached.size(); ++at) {
        int row = nodes;
        for (const int size : topology.shape) {
            row /= size;
            const int place = reached[at] / row % size;
            for (const int other : {(place + 1) % size, (place + size - 1) % size}) {
                const int node = reached[at] + (other - place) * row;
                if (steps[static_cast<std::size_t>(node)] >= 0) continue;
                steps[static_cast<std::size_t>(node)] =
                    steps[static_cast<std::size_t>(reached[at])] + 1;
                reached.push_back(node);
            }
        }
    }
    return steps;
}

const Register shortest("routes in a torus are shortest ones", [] {
    for (const auto& shape :
         std::vector<std::vector<int>>{{1}, {2}, {7}, {5, 4}, {1, 6, 1}, {4, 3, 2}, {2, 2, 3, 2}}) {
        const Topology topology = torus(shape);
        int nodes = 1;
        for (const int size : shape) nodes *= size;
        const Routes routes(topology, nodes);
        for (int from = 0; from < nodes; ++from) {
            const auto steps = distances(topology, nodes, from);
            for (int to = 0; to < nodes; ++to) {
                Links links;
                routes.add(from, to, 0, links);
                EQUAL(static_cast<int>(links.size()), steps[static_cast<std::size_t>(to)]);
                EQUAL(routes.hops(from, to), steps[static_cast<std::size_t>(to)]);
                EQUAL((std::set<std::uint32_t>(links.begin(), links.end()).size()), links.size());
                TRUE(links.empty() || std::ranges::max(links) < routes.links());
            }
        }
    }
});

const Register half_way("ways that are as long both ways round are dealt to both", [] {
    const Routes routes(torus({6}), 6);
    std::map<std::uint32_t, int> loads;
    Links links;
    for (int from = 0; from < 6; ++from) routes.add(from, (from + 3) % 6, 0, links);
    for (const std::uint32_t link : links) ++loads[link];
    EQUAL(loads.size(), std::size_t{12});
    for (const auto& [link, load] : loads) TRUE(load == 1 || load == 2);
});

const Register leaves("a fat tree goes through the core by the receiver's links", [] {
    const Topology topology{.kind = Topology::Kind::fat_tree, .leaf = 4, .up = 2};
    const Routes routes(topology, 10);  // three leaf switches
    EQUAL(routes.links(), 12U);
    EQUAL(routes.hops(0, 3), 0);
    EQUAL(routes.hops(3, 4), 2);
    Links links;
    routes.add(0, 3, 3, links);
    TRUE(links.empty());
    routes.add(1, 9, 9, links);
    TRUE(routes.name(links.at(0)) == "leaf 0, link 1 up");
    TRUE(routes.name(links.at(1)) == "leaf 2, link 1 down");
});

/// The rates of flows over links of such capacities.
std::vector<double> rates(const std::vector<double>& capacities, const std::vector<Links>& flows)
{
    Flows all(capacities);
    std::vector<std::uint32_t> numbers;
    for (const Links& links : flows) numbers.push_back(all.begin(0, 1e6, links));
    all.share(0, [](std::uint32_t, Time) {});
    std::vector<double> found;
    for (const std::uint32_t number : numbers) found.push_back(all.rate(number));
    return found;
}

void near(const std::vector<double>& found, const std::vector<double>& expected)
{
    EQUAL(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) TRUE(std::abs(found[i] - expected[i]) < 1e-9);
}

const Register by_hand("flows share links max-min fair", [] {
    near(rates({1}, {{0}}), {1});
    near(rates({1}, {{0}, {0}}), {0.5, 0.5});
    near(rates({2}, {{0}, {0}}), {1, 1});
    // Bertsekas and Gallager, Figure 6.34: the long way gets what its narrowest link has for each.
    near(rates({1, 1, 1}, {{0, 1, 2}, {0}, {1}, {1}, {2}}),
         {1. / 3, 2. / 3, 1. / 3, 1. / 3, 2. / 3});
    // Others get what one cannot use.
    near(rates({0.9, 0.2}, {{0, 1}, {0}, {1}}), {0.1, 0.8, 0.1});
    near(rates({3, 1}, {{0}, {0}, {0, 1}, {0, 1}}), {1, 1, 0.5, 0.5});
});

/// All flows that are there, anew.
std::map<std::uint32_t, double> anew(const std::vector<double>& capacities,
                                     const std::map<std::uint32_t, Links>& there)
{
    std::vector<Links> flows;
    for (const auto& [number, links] : there) flows.push_back(links);
    const auto found = rates(capacities, flows);
    std::map<std::uint32_t, double> all;
    std::size_t at = 0;
    for (const auto& [number, links] : there) all[number] = found[at++];
    return all;
}

const Register incremental("rates found after each change are those found anew", [] {
    std::mt19937_64 random(7);
    for (int trial = 0; trial < 30; ++trial) {
        std::vector<double> capacities;
        for (int link = 0; link < 12; ++link)
            capacities.push_back(0.25 * static_cast<double>(1 + random() % 8));
        Flows flows(capacities);
        std::map<std::uint32_t, Links> there;
        for (Time now = 1; now < 60; ++now) {
            for (std::uint64_t change = random() % 4 + 1; change > 0; --change)
                if (there.size() > 8 && random() % 2 == 0) {
                    const auto which = std::next(
                        there.begin(), static_cast<std::ptrdiff_t>(random() % there.size()));
                    flows.end(which->first);
                    there.erase(which);
                } else {
                    Links links;
                    for (std::uint32_t link = 0; link < 12; ++link)
                        if (random() % 5 == 0) links.push_back(link);
                    there[flows.begin(now, 1e6, links)] = links;
                }
            flows.share(now, [](std::uint32_t, Time) {});
            for (const auto& [number, rate] : anew(capacities, there))
                TRUE(std::abs(flows.rate(number) - rate) < 1e-9);
        }
    }
});

constexpr Time latency = 700, hop = 20;

Machine machine_of(Topology topology, bool fair = false)
{
    return {.lane_byte = 10,
            .lane_latency = latency,
            .lane_message = 50,
            .fair = fair,
            .network = std::move(topology)};
}

/// Each sends to another rank.
Text sends(std::map<int, int> to, std::int64_t size)
{
    return [=](const Decomposition& on) {
        for (const auto& [from, other] : to) {
            if (on.world.rank() == from) send(on, size, other);
            if (on.world.rank() == other) receive(on, size, from);
        }
    };
}

const Register hops("a message alone takes its lane, and a latency a link", [] {
    const auto layout = layout_of({1, 1, 1, 1, 1});
    for (const bool fair : {false, true})
        for (const double byte : {0., 10., 25.})
            EQUAL(end(layout, machine_of(torus({5}, byte, hop), fair), sends({{0, 2}}, 1000)),
                  static_cast<Time>(std::llround(10050 * std::max(1., byte / 10))) + latency +
                      2 * hop);
});

const Register shared("messages over one link share it, others don't", [] {
    const auto layout = layout_of({1, 1, 1, 1, 1, 1, 1});
    // Over the link from 1 to 2 go both; over the one from 3 to 4 one of them.
    const auto both = ends(recorded(layout, sends({{0, 2}, {1, 4}, {5, 6}}, 1000)), *layout,
                           machine_of(torus({7}, 10, hop)));
    EQUAL(both[2], Time{2 * 10050 + latency + 2 * hop});
    EQUAL(both[4], Time{2 * 10050 + latency + 3 * hop});
    EQUAL(both[6], Time{10050 + latency + hop});
});

const Register back("a message that is held back keeps its lane from the next one", [] {
    const auto layout = layout_of({2, 1, 1});
    // Both leave node 0 by one lane, the first over a slow link.
    const auto text = [](const Decomposition& on) {
        if (on.world.rank() == 0) send(on, 1000, 2);
        if (on.world.rank() == 1) send(on, 1000, 3);
        if (on.world.rank() > 1) receive(on, 1000, on.world.rank() - 2);
    };
    const auto found = ends(recorded(layout, text), *layout, machine_of(torus({3}, 20)));
    EQUAL(found[2], Time{2 * 10050 + latency});
    EQUAL(found[3], Time{4 * 10050 + latency});
    const auto fair = ends(recorded(layout, text), *layout, machine_of(torus({3}, 20), true));
    EQUAL(fair[2], Time{2 * 10050 + latency});
    EQUAL(fair[3], Time{2 * 10050 + latency});
});

const Register incast("messages that come by one lane share it", [] {
    const auto layout = layout_of({1, 1, 1, 1, 1});
    for (const bool fair : {false, true})
        EQUAL(ends(recorded(layout,
                            [](const Decomposition& on) {
                                if (on.world.rank() > 0) return send(on, 1000, 0);
                                Messages messages(on.world);
                                for (int from = 1; from < 5; ++from)
                                    messages.receive(bytes(1000), from, 0);
                                messages.wait();
                            }),
                   *layout, machine_of(torus({5}, 1), fair))[0],
              Time{4 * 10050 + latency});
});

const Register oversubscribed("leaf switches with few links hold messages back", [] {
    const auto layout = layout_of({1, 1, 1, 1, 1, 1, 1, 1});
    const Text across = sends({{0, 4}, {1, 5}, {2, 6}, {3, 7}}, 1000);
    for (const int up : {1, 2, 4}) {
        const Topology tree{
            .kind = Topology::Kind::fat_tree, .leaf = 4, .up = up, .link_byte = 10, .hop = hop};
        EQUAL(end(layout, machine_of(tree), across),
              static_cast<Time>(4 / up * 10050) + latency + 2 * hop);
    }
});

const Register wide("links that hold nobody back change nothing", [] {
    for (const char* algorithm : {"binomial", "chain", "scatter_ring"}) {
        const auto layout = layout_of(std::vector<int>(27, 1));
        const Job job{.collective = "bcast",
                      .algorithm = algorithm,
                      .count = 100000,
                      .type = MPI_BYTE,
                      .root = 4,
                      .saves_bytes = false,
                      .layout = layout};
        const Recorded recorded = record(job);
        EQUAL(ends(recorded.schedule, *layout, machine_of(torus({3, 3, 3}, 0.001))) ==
                  ends(recorded.schedule, *layout, machine_of({})),
              true);
    }
});

}  // namespace
}  // namespace in_network
}  // namespace laneway::simulate
