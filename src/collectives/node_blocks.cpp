// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/node_blocks.hpp"

#include <algorithm>
#include <functional>

namespace laneway {

NodeBlocks::NodeBlocks(std::span<const std::int64_t> told, int node, const Layout& on)
    : ranks_(static_cast<std::size_t>(on.ranks()))
{
    const std::size_t processes = on.members(node).size();
    sent_.reserve(processes * (ranks_ + 1));
    received_.resize((processes + 1) * ranks_);
    for (std::size_t local = 0; local < processes; ++local) {
        const auto sent = told.subspan(2 * local * ranks_, ranks_);
        const auto received = told.subspan((2 * local + 1) * ranks_, ranks_);
        std::int64_t sum = 0;
        for (int peer = 0; peer < on.nodes(); ++peer)
            for (const int rank : on.members(peer)) {
                sent_.push_back(sum);
                sum += sent[static_cast<std::size_t>(rank)];
            }
        sent_.push_back(sum);
        const auto earlier = std::span(received_).subspan(local * ranks_, ranks_);
        std::ranges::transform(earlier, received,
                               std::span(received_).subspan((local + 1) * ranks_, ranks_).begin(),
                               std::plus());
    }
}

}  // namespace laneway
