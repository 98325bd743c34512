// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/k_ported.hpp"
#include "collectives/algorithm.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

static void scan_k_ported(const Scan& call, const Decomposition& on)
{
    const Scratch total(call.input.count, call.input.type);
    const Scratch before(call.input.count, call.input.type);

    allreduce(call.input, total.buffer(), call.op, on.node);
    PortExchange(on).prefix(total.buffer(), before.buffer(), call.op);
    scan(call.input, call.result, call.op, on.node);
    if (on.node_index() > 0) reduce_local(before.buffer(), call.result, call.op);
}

static const Register<Scan> entry({
    .run = scan_k_ported,
    .needs = {.consecutive = true},
    .memory = {.message = 2, .rows = 1},
    .about = {.idea = "allreduce on every node; k+1 nodes at a time exchange their sums, each "
                      "process of a node "
                      "with another node; scan on every node",
              .rounds = "2 log n + (1 + log n) log N / log(k+1)",
              .volume = "(k + 2) m a round and 3m once a process; 2 k m a round a node",
              .memory = "2m + min(k, N-1) m",
              .source = "the ports of Traeff and Hunold 2020, Section 5; unequal groups are ours"},
});

}  // namespace laneway
