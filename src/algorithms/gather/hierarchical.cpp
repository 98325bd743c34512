// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "collectives/algorithm.hpp"
#include "decomposition/shares.hpp"
#include "mpi/messages.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

static void gather_hierarchical(const Gather& call, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const int node = on.node_index();
    const bool is_root = on.world.rank() == call.root;
    const MPI_Datatype type = call.mine.type;
    const Partition nodes = node_blocks(call.mine.count, on);

    // The root's lane, if it has one; else the leader of its node gives it what came.
    const int lane = root_local % on.lanes();
    const int leader = on.owner(lane, node);
    const bool leads = on.node.rank() == leader;

    const Scratch on_node(leads ? nodes.size(node) : 0, type);
    gather(call.mine, {on_node.buffer().data, nodes.size(node), type, on_node.buffer().extent},
           leader, on.node);

    const bool collects = leads && node == root_node;
    // Where ranks are consecutive, blocks ordered by node are ordered by rank.
    const bool direct = on.consecutive() && on.owner(lane, root_node) == root_local;
    const Scratch scratch(collects && !direct ? nodes.count() : 0, type);
    const Buffer by_node = is_root && direct ? call.whole : scratch.buffer();
    if (leads && on.regular()) {
        const Buffer all{by_node.data, nodes.count(), type, on_node.buffer().extent};
        gather(on_node.buffer(), all, root_node, on.lane(lane));
    }
    if (leads && !on.regular()) gatherv(on_node.buffer(), by_node, nodes, root_node, on.lane(lane));
    if (direct) return;

    std::optional<Datatype> places;  // of the root's blocks, by node
    if (is_root) places = node_order(call.mine.count, type, on);
    Messages last(on.node);
    if (is_root) last.receive(Buffer::of(call.whole.data, 1, *places), leader);
    if (collects) last.send(by_node, root_local);
    last.wait();
}

static const Register<Gather> entry({
    .run = gather_hierarchical,
    .memory = {.message = 1, .node_blocks = 1},
    .about = {.idea = "gather on every node to its process on the root's lane, then on that lane",
              .rounds = "2; 1 where n < 2",
              .volume = "a leader n m, the root (p-1) m; n m a node, the root's (p-n) m",
              .memory = "n m on leaders; (p + n) m on that of the root's node where ranks don't "
                        "ascend from node to "
                        "node",
              .source = "Traeff and Hunold 2020, Section 3.2 and Listing 4"},
});

}  // namespace laneway
