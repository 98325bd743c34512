// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "collectives/calls.hpp"
#include "data/partition.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "decomposition/node_phase.hpp"

/// Broadcast and reduction of a message by all lanes at once, whatever carries a lane's share between the nodes.
namespace laneway {

/// A scatter on the root's node, `on_lane(share, root's node, lane)`, and an allgather on every node. The root, which
/// has the whole message, only sends in the allgather.
template <class OnLane>
void broadcast_by_lanes(const Bcast& call, const Decomposition& on, const OnLane& on_lane)
{
    const auto [root_node, root_local] = on.locate(call.root);
    // Between two processes of one node, all parts would take the same way, one after the other.
    if (on.nodes() == 1 && on.node.size() == 2) return serve(Bcast{call.data, root_local}, on.node);
    const Partition part = on.by_lanes(call.data.count);

    if (on.node_index() == root_node) scatter_parts(call.data, part, root_local, on);
    on.for_lanes([&, root = root_node](int lane) {
        on_lane(part.block(call.data, lane), root, on.lane(lane));
    });
    if (on.node_index() == root_node)
        exchange_parts(call.data, part, root_local, on);
    else
        allgather_parts(call.data, part, on);
}

/// A reduce-scatter on every node, `on_lane(share, operator, root's node, lane)` in place, and a gather on the root's
/// node.
template <class OnLane>
void reduce_by_lanes(const Reduce& call, const Decomposition& on, const OnLane& on_lane)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const Partition part = on.by_lanes(call.input.count);
    const Scratch scratch(owned_count(part, on), call.input.type);
    const Buffer owned = scratch.buffer();

    reduce_scatter_parts(call.input, owned, part, call.op, on);
    std::int64_t done = 0;
    on.for_lanes([&, root = root_node](int lane) {
        on_lane(owned.slice(done, part.size(lane)), call.op, root, on.lane(lane));
        done += part.size(lane);
    });
    if (on.node_index() == root_node) gather_parts(owned, call.result, part, root_local, on);
}

}  // namespace laneway
