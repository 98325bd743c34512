// SPDX-License-Identifier: BSD-3-Clause
// The facts that a process keeps of where all others are.
#include "layout/layout.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "cases/case.hpp"
#include "data/partition.hpp"

namespace laneway {
namespace {

using cases::Register;

/// Equal nodes of consecutive ranks.
Nodes nodes_of(int nodes, int ppn)
{
    Nodes found(static_cast<std::size_t>(nodes));
    for (int rank = 0; rank < nodes * ppn; ++rank)
        found[static_cast<std::size_t>(rank / ppn)].push_back(rank);
    return found;
}

const Register memory("a layout of 100000 ranks takes at most 32 bytes for each", [] {
    for (const int ppn : {4, 16, 125}) {
        const int nodes = 100000 / ppn;
        const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
        const auto layout = std::make_unique<const Layout>(nodes_of(nodes, ppn), 2);
        const std::size_t taken = mallinfo2().uordblks + mallinfo2().hblkhd - before;
        EQUAL(layout->ranks(), nodes * ppn);
        TRUE(taken <= 32 * static_cast<std::size_t>(layout->ranks()));
    }
});

std::vector<std::int64_t> weights_of(const Layout& layout)
{
    return {layout.weights().begin(), layout.weights().end()};
}

using Weights = std::vector<std::int64_t>;

const Register weighed("lanes that share a network lane divide its weight", [] {
    EQUAL(weights_of(Layout(nodes_of(2, 4), {2, {2, 1}})), (Weights{2, 1, 2, 1}));
    EQUAL(weights_of(Layout(nodes_of(2, 5), {2, {3, 1}})), (Weights{6, 3, 6, 3, 6}));
    EQUAL(weights_of(Layout(nodes_of(2, 2), {3, {5, 0, 7}})), (Weights{5, 0}));
    EQUAL(weights_of(Layout(nodes_of(2, 4), {4, {1, 0, 0, 9}})), (Weights{1, 0, 0, 9}));
});

const Register alike("lanes of one weight are alike, and so is what nobody can use", [] {
    for (const auto& [ppn, weights] : {std::pair{4, Weights{3, 3}}, std::pair{4, Weights{}},
                                       std::pair{1, Weights{0, 1}}, std::pair{3, Weights{2, 1}}}) {
        const Layout layout(nodes_of(2, ppn), {2, weights});
        TRUE(layout.alike());
        TRUE(layout.regular());
    }
    TRUE(Layout(nodes_of(1, 4), {2, {2, 1}}).alike());
    TRUE(!Layout(nodes_of(2, 4), {2, {2, 1}}).regular());
});

/// Nodes of one size, of which some have lanes of other weights.
Layout unlike(int nodes, int size, const Weights& usual,
              const std::map<std::size_t, Weights>& others)
{
    NetworkLanes lanes{static_cast<int>(usual.size()), usual};
    Mapping mapping{nodes_of(nodes, size), {}};
    mapping.weighed.resize(static_cast<std::size_t>(nodes));
    for (const auto& [node, weights] : others) {
        lanes.of_nodes.push_back({std::to_string(node), weights});
        mapping.weighed[node] = lanes.of_nodes.size();
    }
    return {mapping, lanes};
}

const Register by_node("a lane carries between two nodes what its slower end carries", [] {
    const Layout layout = unlike(4, 4, {10, 10}, {{1, {10, 1}}, {3, {0, 5}}});
    TRUE(layout.differs_by_node());
    TRUE(!layout.alike());
    TRUE(!layout.regular());
    EQUAL(weights_of(layout), (Weights{0, 1, 0, 1}));
    EQUAL(layout.weights_between(0, 2, 4), (Weights{10, 10, 10, 10}));
    EQUAL(layout.weights_between(0, 1, 4), (Weights{10, 1, 10, 1}));
    EQUAL(layout.weights_between(1, 3, 2), (Weights{0, 1}));
    const Layout apart = unlike(2, 2, {1, 0}, {{1, {0, 1}}});
    EQUAL(apart.weights_between(0, 1, 2), (Weights{1, 1}));
    EQUAL(weights_of(apart), (Weights{1, 1}));
    TRUE(!unlike(3, 2, {2, 1}, {{1, {2, 1}}}).differs_by_node());
    TRUE(unlike(3, 2, {1, 1}, {{1, {1, 1}}}).alike());
});

/// The time of data that go to one node from all others, over their floor. Each lane carries as its weight says.
double over_floor(const Layout& layout, int root)
{
    const auto lanes = static_cast<std::size_t>(layout.lanes());
    const auto cut = layout.weights_towards(root, layout.lanes());
    std::vector<double> come(lanes);
    double longest = 0, floor = 0, all = 0;
    const auto weights = [&](int node) {
        return layout.weights_between(node, node, layout.lanes());
    };
    const auto sum = [](const Weights& of) { return std::accumulate(of.begin(), of.end(), 0.0); };
    for (int node = 0; node < layout.nodes(); ++node) {
        if (node == root) continue;
        const auto size = static_cast<double>(layout.members(node).size());
        const Weights& own = cut[static_cast<std::size_t>(node)];
        const Partition shares = Partition::weighted(1'000'000'000, own);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const double share =
                size * static_cast<double>(shares.size(static_cast<int>(lane))) / 1e9;
            come[lane] += share;
            if (share > 0)
                longest = std::max(longest, share / static_cast<double>(weights(node)[lane]));
        }
        floor = std::max(floor, size / sum(layout.weights_between(node, root, layout.lanes())));
        all += size;
    }
    for (std::size_t lane = 0; lane < lanes; ++lane)
        if (come[lane] > 0)
            longest = std::max(longest, come[lane] / static_cast<double>(weights(root)[lane]));
    return longest / std::max(floor, all / sum(weights(root)));
}

const Register sick_to_one(
    "data to or from one node take the floor's time where one node has a slow lane", [] {
        for (const int nodes : {2, 3, 4, 8, 100})
            for (const auto& slow : {Weights{10, 1}, Weights{0, 1}, Weights{1000, 999}})
                for (const std::size_t node : {0U, 1U})
                    for (int root = 0; root < 2; ++root) {
                        const Weights usual(2, std::max(slow[0], slow[1]));
                        TRUE(over_floor(unlike(nodes, 2, usual, {{node, slow}}), root) < 1.02);
                    }
    });

const Register several_sick("several nodes with slow lanes cost little more than they must", [] {
    TRUE(over_floor(unlike(4, 4, {10, 10}, {{1, {10, 1}}, {2, {1, 10}}}), 0) < 1.05);
    TRUE(over_floor(unlike(4, 4, {10, 10}, {{1, {0, 1}}, {2, {10, 10}}, {3, {1, 0}}}), 0) < 1.05);
    TRUE(over_floor(unlike(6, 4, {10, 10, 10, 10}, {{1, {10, 1, 10, 10}}, {4, {1, 5, 0, 10}}}), 2) <
         1.1);
    // The floor does not see that three nodes send nearly all over one lane of the root.
    TRUE(over_floor(unlike(4, 4, {10, 10}, {{1, {10, 1}}, {2, {10, 1}}, {3, {10, 1}}}), 0) < 1.8);
});

const Register cut("shares are in the ratio of the weights, and hold all there is", [] {
    const Weights weights{4, 2, 4, 2, 0};
    const Partition part = Partition::weighted(12'000'000'000'000, weights);
    EQUAL(part.size(0), 4'000'000'000'000);
    EQUAL(part.size(1), 2'000'000'000'000);
    EQUAL(part.size(4), 0);
    for (std::int64_t count = 0; count < 40; ++count) {
        const Partition small = Partition::weighted(count, weights);
        EQUAL(small.count(), count);
        EQUAL(small.parts(), 5);
        EQUAL(small.size(4), 0);
        for (int lane = 0; lane < 4; ++lane)
            TRUE(std::abs(small.size(lane) * 12 - count * weights[static_cast<std::size_t>(lane)]) <
                 12);
    }
    const Weights greatest(1024, NetworkLanes::most);
    EQUAL(Partition::weighted(1LL << 60, greatest).size(1023), 1LL << 50);
});

}  // namespace
}  // namespace laneway
