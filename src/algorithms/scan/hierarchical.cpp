// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/prefix.hpp"
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"

namespace laneway {

static void scan_hierarchical(const Scan& call, const Decomposition& on)
{
    const Scratch before(call.input.count, call.input.type);

    serve(Scan{call.input, call.result, call.op}, on.node);
    leader_prefix(call.result, before.buffer(), call.op, on);
    if (on.node_index() > 0) reduce_local(before.buffer(), call.result, call.op);
}

static const Register<Scan> entry({
    .run = scan_hierarchical,
    .needs = {.consecutive = true},
    .own_up_to = plain::short_bytes,
    .memory = {.message = 2},
    .about =
        {.idea =
             "scan on every node, exclusive scan of the node results between the last processes, "
             "broadcast on every node",
         .rounds = "at most max(2, log_4 n) + log_4(3n+1) + max(2, log_4 N) - 1; at most max(2, "
                   "log_4 N) where n < 2",
         .volume = "2m a process; m a node",
         .memory = "m; at most 2m where nodes differ in size",
         .source = "Traeff and Hunold 2020, Section 3.5 and Listing 12"},
});

}  // namespace laneway
