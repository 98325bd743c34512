// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "collectives/algorithm.hpp"
#include "decomposition/shares.hpp"
#include "mpi/messages.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

static void scatter_hierarchical(const Scatter& call, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const int node = on.node_index();
    const bool is_root = on.world.rank() == call.root;
    const MPI_Datatype type = call.mine.type;
    const Partition nodes = node_blocks(call.mine.count, on);

    // The root's lane, if it has one; else the leader of its node gets it all first.
    const int lane = root_local % on.lanes();
    const int leader = on.owner(lane, node);
    const bool leads = on.node.rank() == leader;
    const bool spreads = leads && node == root_node;

    // Where ranks are consecutive, blocks ordered by node are ordered by rank.
    const bool direct = on.consecutive() && on.owner(lane, root_node) == root_local;
    std::optional<Datatype> places;  // of the root's blocks, by node
    if (is_root && !direct) places = node_order(call.mine.count, type, on);
    const Scratch scratch(spreads && !direct ? nodes.count() : 0, type);
    const Buffer by_node = is_root && direct ? call.whole : scratch.buffer();
    Messages first(on.node);
    if (spreads && !direct) first.receive(by_node, root_local);
    if (is_root && !direct) first.send(Buffer::of(call.whole.data, 1, *places), leader);
    first.wait();

    const Scratch on_node(leads ? nodes.size(node) : 0, type);
    if (leads && on.regular()) {
        const Buffer all{by_node.data, nodes.count(), type, on_node.buffer().extent};
        scatter(all, on_node.buffer(), root_node, on.lane(lane));
    }
    if (leads && !on.regular())
        scatterv(by_node, on_node.buffer(), nodes, root_node, on.lane(lane));
    scatter({on_node.buffer().data, nodes.size(node), type, on_node.buffer().extent}, call.mine,
            leader, on.node);
}

static const Register<Scatter> entry({
    .run = scatter_hierarchical,
    .memory = {.message = 1, .node_blocks = 1},
    .about = {.idea = "scatter on the root's lane to a leader on every node, then on every node",
              .rounds = "2; 1 where n < 2",
              .volume = "a leader n m, the root (p-1) m; n m a node, the root's (p-n) m",
              .memory = "n m on leaders; (p + n) m on that of the root's node where ranks don't "
                        "ascend from node to "
                        "node",
              .source = "Traeff and Hunold 2020, Section 3.2"},
});

}  // namespace laneway
