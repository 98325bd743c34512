// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/memory.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace laneway {
namespace {

/// The longest share of a lane, in shares of lanes that are alike.
double longest_share(const Layout& on)
{
    if (on.alike()) return 1;
    if (on.differs_by_node()) return on.lanes();  // two nodes may have one lane in common
    const auto weights = on.weights();
    const auto all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
    return static_cast<double>(std::ranges::max(weights)) * on.lanes() / static_cast<double>(all);
}

}  // namespace

double Memory::copies(const Layout& on, std::int64_t count) const
{
    const double processes = on.ranks(), lanes = on.lanes();
    // A share may exceed its weight's by an element, and a lane has one of every node.
    const double average = longest_share(on) / lanes;
    const double uneven = on.nodes() / static_cast<double>(count), share = average + uneven;
    double largest = 0, served = 0, of_blocks = 0, of_rows = 0;
    for (int node = 0; node < on.nodes(); ++node) {
        const auto size = static_cast<double>(on.members(node).size());
        const double most = std::ceil(lanes / size);  // lanes that one process serves
        largest = std::max(largest, size);
        served = std::max(served, std::min(1.0, most * share));
        of_blocks = std::max(of_blocks, size / processes * most * share);
        of_rows = std::max(of_rows, most * (size * average + uneven));
    }
    return message + shares * served + node_blocks * largest / processes +
           (on.regular() ? 0 : redistributed * of_blocks) + rows * largest + row_shares * of_rows;
}

}  // namespace laneway
