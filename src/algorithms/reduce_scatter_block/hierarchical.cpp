// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/shares.hpp"

namespace laneway {

static void reduce_scatter_block_hierarchical(const ReduceScatterBlock& call,
                                              const Decomposition& on)
{
    const int leaders_lane = on.leading_lane(), leader = on.owner(leaders_lane, on.node_index());
    const bool leads = on.node.rank() == leader;
    const MPI_Datatype type = call.input.type;
    const Partition nodes = node_blocks(call.result.count, on);

    const Scratch reduced(leads ? call.input.count : 0, type);
    serve(Reduce{call.input, reduced.buffer(), call.op, leader}, on.node);

    const std::int64_t of_node = nodes.size(on.node_index());
    const Scratch on_node(leads ? of_node : 0, type);
    if (leads) {
        // Where ranks are consecutive, blocks ordered by rank are ordered by node.
        std::optional<Scratch> ordered;
        if (!on.consecutive()) {
            ordered.emplace(call.input.count, type);
            copy(node_order(call.result.count, reduced.buffer(), on).all().first, ordered->buffer(),
                 on.world);
        }
        const Buffer by_node = ordered ? ordered->buffer() : reduced.buffer();
        if (on.equal_nodes())
            serve(ReduceScatterBlock{by_node, on_node.buffer(), call.op}, on.lane(leaders_lane));
        else
            serve(ReduceScatter{by_node, on_node.buffer(), nodes, call.op}, on.lane(leaders_lane));
    }
    serve(
        Scatter{
            {on_node.buffer().data, of_node, type, on_node.buffer().extent}, call.result, leader},
        on.node);
}

static const Register<ReduceScatterBlock> entry({
    .run = reduce_scatter_block_hierarchical,
    .needs = {.rank_order = true, .elementwise = true},
    .memory = {.message = 2, .node_blocks = 1},
    .about =
        {.idea = "reduce on every node, reduce-scatter between the nodes' first processes, scatter "
                 "on every node",
         .rounds = "log_4(3n+1) + 1; 1 where n < 2",
         .volume = "p m a process, first ones (2p-n) m; (p-n) m a node",
         .memory = "(p + n) m on first processes, p m more where ranks don't ascend from node to "
                   "node",
         .source = "Traeff and Hunold 2020, Section 3.4 and Listing 10"},
});

}  // namespace laneway
