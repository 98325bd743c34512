// SPDX-License-Identifier: BSD-3-Clause
#include <ranges>

#include "algorithms/families/port_exchange.hpp"
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"

namespace laneway {

static void barrier_k_ported(const Barrier&, const Decomposition& on)
{
    const PortExchange exchange(on);
    const int others = exchange.most_parts();
    const Scratch signals(1 + others, MPI_BYTE);

    serve(Barrier{}, on.node);
    for (const Split& split : exchange.splits() | std::views::reverse) {
        exchange.bring(split, signals.buffer().slice(0, 1), signals.buffer().slice(1, others),
                       Partition(split.parts - 1, split.parts - 1));
        serve(Barrier{}, on.node);
    }
}

static const Register<Barrier> entry({
    .run = barrier_k_ported,
    .own_up_to = plain::short_bytes,
    .about = {.idea = "barrier on every node; then k+1 nodes at a time tell each other, each "
                      "process of a node "
                      "another node, with a barrier on every node after that",
              .rounds = "log_4 n + (1 + log_4 n) log_(k+1) N",
              .volume = "none",
              .memory = "none",
              .source = "the ports of Traeff and Hunold 2020, Section 5; unequal groups are ours"},
});

}  // namespace laneway
