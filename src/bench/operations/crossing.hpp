// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bench/operations/operation.hpp"

namespace laneway::bench {

/// What a call of a vector collective must bring from node to node, however that is done.
struct Crossing {
    std::int64_t bytes = 0;   ///< That some node must send, or receive.
    int peers = 0;            ///< Other nodes that some node must hear from, or be heard by.
    bool mutual = false;      ///< Whether every node must hear from every other one.
    std::size_t longest = 0;  ///< Elements of the longest block of all.
};

/// Of a problem whose ranks are on the nodes `node_of`: for each, the first rank of its node. Where
/// there is no one `root`, of the one that has the least to move.
Crossing crossing(const Operation& operation, const Problem& problem,
                  const std::vector<int>& node_of, std::optional<int> root);

}  // namespace laneway::bench
