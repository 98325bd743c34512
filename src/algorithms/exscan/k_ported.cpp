// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/port_exchange.hpp"
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"

namespace laneway {

static void exscan_k_ported(const Exscan& call, const Decomposition& on)
{
    const Scratch inputs(on.node.size() * call.input.count, call.input.type);
    const Scratch before(call.input.count, call.input.type);
    const int local = on.node.rank();

    serve(Allgather{call.input, inputs.buffer()}, on.node);
    const Prefixes sums(inputs.buffer(), on.node.size(), call.op);
    if (local > 0) copy(sums.up_to(local - 1), call.result, on.world);
    PortExchange(on).prefix(sums.total(), before.buffer(), call.op);
    if (on.node_index() == 0) return;
    if (local == 0)
        copy(before.buffer(), call.result, on.world);
    else
        reduce_local(before.buffer(), call.result, call.op);
}

static const Register<Exscan> entry({
    .run = exscan_k_ported,
    .needs = {.consecutive = true},
    .memory = {.message = 1, .rows = 2},
    .about = {.idea =
                  "allgather on every node, and its sums; k+1 nodes at a time exchange these, each "
                  "process of a node with another node",
              .rounds = "log_4 n + (1 + log_4 n) log_(k+1) N",
              .volume = "(k + 2) m a round and (n-1) m once a process; 2 k m a round a node",
              .memory = "(n + 1) m + min(k, N-1) m",
              .source = "the ports of Traeff and Hunold 2020, Section 5; unequal groups are ours"},
});

}  // namespace laneway
