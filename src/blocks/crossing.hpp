// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "blocks/layouts.hpp"

namespace laneway {

/// The flow of the blocks of a vector collective: who has them, and who gets them.
enum class BlockFlow {
    none,          ///< It is no vector collective.
    with_all,      ///< All ranks get the block of each, or contribute to it.
    with_root,     ///< The root gets all blocks, or has them at first.
    between_pairs  ///< Every rank has a block for every rank.
};

/// The data that a vector collective must bring from node to node, however that is done.
struct Crossing {
    std::int64_t bytes = 0;   ///< Bytes that some node must send, or receive.
    int peers = 0;            ///< Other nodes that some node must hear from, or be heard by.
    bool mutual = false;      ///< Whether every node must hear from every other one.
    std::size_t longest = 0;  ///< Elements of the longest block of all.
};

/// The crossing of a call with blocks of `element` bytes an element. Its ranks are on the nodes `node_of`: for each,
/// a number of its node, such as its first rank. Where there is no one `root`, it is the crossing for the root that
/// has the least to move.
Crossing crossing(BlockFlow flow, const BlockLayout& layout, std::size_t mean, std::int64_t element,
                  const std::vector<int>& node_of, std::optional<int> root);

}  // namespace laneway
