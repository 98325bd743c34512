// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "decomposition/segmented.hpp"

/// Every segment goes from the root's node to one other node, its hub, and from there to all others; nodes are hubs in
/// turn. So N - 1 trees of depth 2 carry the message, in which each node sends what it receives. A message is
/// everywhere after two latencies and the time that its bytes take from the root. (Li, Chou, Zhang 2005.)
namespace laneway {

/// Calls `body(first, length, hub)` for segments of `count` elements, several of them under way at once. Each hub has
/// as many segments; `hub` is its position behind the root's node.
template <class Body>
void by_hubs(std::int64_t count, std::int64_t element_bytes, const Tunables& tunables,
             const Decomposition& on, const Body& body)
{
    const int hubs = std::max(1, on.nodes() - 1);
    const Cut cut = fill_soon(count * element_bytes, tunables, on, 1);
    const int turns = (segments_of(count, element_bytes, cut, on).parts() + hubs - 1) / hubs;
    const auto part = Partition::with_shorter_last(count, turns * hubs, on.lanes());
    under_way(part.parts(), cut.ahead,
              [&](int at) { body(part.first(at), part.size(at), 1 + at % hubs); });
}

}  // namespace laneway
