// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "core/algorithm.hpp"
#include "core/decomposition.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

/// Where the blocks of `result`, `length` elements each, stand when ordered by node.
static Datatype node_order(const Buffer& result, int length, const Decomposition& on)
{
    std::vector<int> displacements;
    for (int node = 0; node < on.nodes(); ++node)
        for (const int rank : on.members(node)) displacements.push_back(rank * length);
    return Datatype::indexed(std::vector<int>(displacements.size(), length), displacements,
                             result.type);
}

static void allgather_hierarchical(const Allgather& call, const Decomposition& on)
{
    constexpr int leader = 0, leaders_lane = 0;
    const bool leads = on.node.rank() == leader;
    const std::int64_t length = call.result.count / on.world.size();

    std::vector<std::int64_t> node_counts;
    for (int node = 0; node < on.nodes(); ++node)
        node_counts.push_back(static_cast<std::int64_t>(on.members(node).size()) * length);
    const Partition nodes(node_counts);

    // Where ranks are consecutive, blocks ordered by node are ordered by rank: no reordering.
    std::optional<Scratch> scratch;
    if (leads && !on.consecutive()) scratch.emplace(call.result.count, call.result.type);
    const Buffer by_node = scratch ? scratch->buffer() : call.result;
    const Buffer on_node = nodes.block(by_node, on.node_index());

    gatherv(call.mine, on_node, Partition(on_node.count, on.node.size()), leader, on.node);
    if (leads && on.regular()) allgather(by_node, on.lane(leaders_lane));
    if (leads && !on.regular()) allgatherv(on_node, by_node, nodes, on.lane(leaders_lane));
    if (scratch) {
        const Datatype places = node_order(call.result, static_cast<int>(length), on);
        copy(by_node, Buffer::of(call.result.data, 1, places), on.world);
    }
    bcast(call.result, leader, on.node);
}

static const Register<Allgather> entry({
    .run = allgather_hierarchical,
    .memory_bound = 1,
    .about = {.idea = "gather to the first process of every node, allgather between those, "
                      "broadcast on every node",
              .rounds = "2 log n + log N",
              .volume = "2 p m a first process, (p+1) m another; (p-n) m a node",
              .memory = "none; p m on first processes where ranks don't ascend from node to node",
              .source = "Traeff and Hunold 2020, Section 3.3 and Listing 6"},
});

}  // namespace laneway
