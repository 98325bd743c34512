// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/prefix.hpp"
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"

namespace laneway {

static void exscan_hierarchical(const Exscan& call, const Decomposition& on)
{
    // The node's whole reduction is at its last process, by an inclusive scan: an exclusive one lacks its input.
    const Scratch before(call.input.count, call.input.type);
    const Scratch node_result(call.input.count, call.input.type);

    serve(Scan{call.input, node_result.buffer(), call.op}, on.node);
    leader_prefix(node_result.buffer(), before.buffer(), call.op, on);
    exscan_on_node(call, before.buffer(), on);
}

static const Register<Exscan> entry({
    .run = exscan_hierarchical,
    .needs = {.consecutive = true},
    .own_up_to = plain::short_bytes,
    .memory = {.message = 3},
    .about =
        {.idea =
             "scan on every node, exclusive scan of the node results between the last processes, "
             "broadcast and exclusive scan on every node",
         .rounds = "at most 2 max(2, log_4 n) + log_4(3n+1) + max(2, log_4 N) - 1; at most max(2, "
                   "log_4 N) where n < 2",
         .volume = "3m a process; m a node",
         .memory = "2m; at most 3m where nodes differ in size",
         .source = "Traeff and Hunold 2020, Section 3.5"},
});

}  // namespace laneway
