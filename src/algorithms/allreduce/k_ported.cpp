// SPDX-License-Identifier: BSD-3-Clause
#include <ranges>

#include "algorithms/families/port_exchange.hpp"
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"

namespace laneway {

static void allreduce_k_ported(const Allreduce& call, const Decomposition& on)
{
    serve(Allreduce{call.input, call.result, call.op}, on.node);
    const PortExchange exchange(on);
    const Scratch brought(exchange.most_parts() * call.input.count, call.input.type);
    for (const Split& split : exchange.splits() | std::views::reverse) {
        exchange.bring_sums(split, call.result, brought.buffer());
        exchange.add_up(split, call.result, brought.buffer(), call.op);
    }
}

static const Register<Allreduce> entry({
    .run = allreduce_k_ported,
    .needs = {.rank_order = true},
    .memory = {.rows = 1},
    .about = {.idea = "allreduce on every node; then k+1 nodes at a time exchange their sums, each "
                      "process of "
                      "a node with another node, and everyone adds up what its node has got",
              .rounds = "at most 2 log_4 n + (1 + log_4 n) log_(k+1) N",
              .volume = "(k + 2) m a round and 2m once a process; 2 k m a round a node",
              .memory = "min(k, N-1) m",
              .source =
                  "recursive multiplying over nodes with the ports of Traeff and Hunold 2020, "
                  "Section 5; unequal groups are ours"},
});

}  // namespace laneway
