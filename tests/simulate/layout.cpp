// SPDX-License-Identifier: BSD-3-Clause
// The facts that a process keeps of where all others are.
#include "layout/layout.hpp"

#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
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
