// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/port_exchange.hpp"
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/shares.hpp"

namespace laneway {

/// A process has addends to the blocks of its part: its own and those that have come to its port. With each cut there
/// are fewer blocks. The processes of a node add theirs up where they send them on, and in the end.
static void reduce_scatter_block_k_ported(const ReduceScatterBlock& call, const Decomposition& on)
{
    const MPI_Datatype type = call.input.type;
    const Partition nodes = node_blocks(call.result.count, on);
    const Scratch by_node(call.input.count, type);
    copy(node_order(call.result.count, call.input, on).all().first, by_node.buffer(), on.world);

    const PortExchange exchange(on);
    for (const Split& split : exchange.splits())
        exchange.hand_over(split, nodes, by_node.buffer(), call.op);
    serve(ReduceScatterBlock{nodes.block(by_node.buffer(), on.node_index()), call.result, call.op},
          on.node);
}

static const Register<ReduceScatterBlock> entry({
    .run = reduce_scatter_block_k_ported,
    .needs = {.commutative = true, .elementwise = true},
    .otherwise = "lane",
    .memory = {.message = 4},
    .about = {.idea = "k+1 parts of the nodes at a time: every node adds up what it has for the "
                      "other parts, each of its processes sends that to another part; and in the "
                      "end what it has got for itself",
              .rounds =
                  "at most 1 + (1 + max(1, floor((n-1)/3) log_4 n)) log_(k+1) N; log_(k+1) N where "
                  "n < 2 - where few processes are ports, their sums are made one after the other",
              .volume = "at most (2 p + n (n + 1)) m a process; at most 2 (p - n) m a node",
              .memory = "(2 p - n + n ceil(N/(k+1))) m",
              .source = "recursive halving over nodes with the ports of Traeff and Hunold 2020, "
                        "Section 5; ours"},
});

}  // namespace laneway
