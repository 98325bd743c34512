// SPDX-License-Identifier: BSD-3-Clause
#include <ranges>
#include <vector>

#include "algorithms/families/port_exchange.hpp"
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/node_phase.hpp"
#include "decomposition/shares.hpp"

namespace laneway {

static void allgather_k_ported(const Allgather& call, const Decomposition& on)
{
    const MPI_Datatype type = call.mine.type;
    const Partition nodes = node_blocks(call.mine.count, on);
    const auto row = [&](const Buffer& of, int first, int size) {
        return of.slice(nodes.first(first), nodes.first(first + size) - nodes.first(first));
    };
    const Scratch by_node(nodes.count(), type);
    const Scratch brought(on.nodes() > 1 ? nodes.count() : 0, type);
    const Buffer blocks = by_node.buffer();

    serve(Allgather{call.mine, nodes.block(blocks, on.node_index())}, on.node);
    const PortExchange exchange(on);
    for (const Split& split : exchange.splits() | std::views::reverse) {
        std::vector<std::int64_t> sizes;
        for (int part = 0; part < split.parts; ++part)
            if (part != split.mine)
                sizes.push_back(row(blocks, split.begin(part), split.length(part)).count);
        const Partition by_port(sizes);
        exchange.bring(split, row(blocks, split.begin(split.mine), split.length(split.mine)),
                       brought.buffer(), by_port);
        allgather_parts(brought.buffer().slice(0, by_port.count()), by_port, on);

        const Buffer before = row(blocks, split.first, split.begin(split.mine) - split.first);
        const Buffer after = row(blocks, split.begin(split.mine + 1),
                                 split.first + split.size - split.begin(split.mine + 1));
        if (before.count > 0) copy(brought.buffer().slice(0, before.count), before, on.world);
        if (after.count > 0)
            copy(brought.buffer().slice(before.count, after.count), after, on.world);
    }
    copy(blocks, node_order(call.mine.count, call.result, on).all().first, on.world);
}

static const Register<Allgather> entry({
    .run = allgather_k_ported,
    .memory = {.message = 2},
    .about = {.idea = "allgather on every node; then k+1 nodes at a time exchange what they have, "
                      "each process "
                      "of a node with another node, and share it at home",
              .rounds = "log_4 n + (1 + log_4 n) log_(k+1) N",
              .volume = "at most 2 p m a process; at most 2 (p - n) m a node",
              .memory = "2 p m",
              .source = "the ports of Traeff and Hunold 2020, Section 5; unequal groups are ours"},
});

}  // namespace laneway
