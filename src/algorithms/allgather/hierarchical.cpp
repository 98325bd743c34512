// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/shares.hpp"

namespace laneway {

static void allgather_hierarchical(const Allgather& call, const Decomposition& on)
{
    const int leaders_lane = on.leading_lane(), leader = on.owner(leaders_lane, on.node_index());
    if (on.nodes() == on.world.size())
        return serve(Allgather{call.mine, call.result}, on.lane(leaders_lane));

    const bool leads = on.node.rank() == leader;
    const std::int64_t length = call.result.count / on.world.size();

    const Partition nodes = node_blocks(length, on);

    // Where ranks are consecutive, blocks ordered by node are ordered by rank: no reordering.
    std::optional<Scratch> scratch;
    if (leads && !on.consecutive()) scratch.emplace(call.result.count, call.result.type);
    const Buffer by_node = scratch ? scratch->buffer() : call.result;
    const Buffer on_node = nodes.block(by_node, on.node_index());

    serve(Gather{call.mine, on_node, leader}, on.node);
    if (leads && on.equal_nodes())
        serve(in_place(by_node, on.lane(leaders_lane)), on.lane(leaders_lane));
    if (leads && !on.equal_nodes())
        serve(Allgatherv{on_node, by_node, nodes}, on.lane(leaders_lane));
    if (scratch) copy(by_node, node_order(length, call.result, on).all().first, on.world);
    serve(Bcast{call.result, leader}, on.node);
}

static const Register<Allgather> entry({
    .run = allgather_hierarchical,
    .memory = {.message = 1},
    .about = {.idea = "gather to the first process of every node, allgather between those, "
                      "broadcast on every node",
              .rounds = "log_4 N + log_4(3n+1); log_4 N where n < 2",
              .volume = "(2p-n) m a first process, (p+1) m another; (p-n) m a node",
              .memory = "none; p m on first processes where ranks don't ascend from node to node",
              .source = "Traeff and Hunold 2020, Section 3.3 and Listing 6"},
});

}  // namespace laneway
