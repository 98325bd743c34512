// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/prefix.hpp"
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"

namespace laneway {

static void exscan_lane(const Exscan& call, const Decomposition& on)
{
    const Scratch before(call.input.count, call.input.type);

    lane_prefix(call.input, before.buffer(), call.op, on);
    exscan_on_node(call, before.buffer(), on);
}

static const Register<Exscan> entry({
    .run = exscan_lane,
    .needs = {.consecutive = true, .shares = true, .elementwise = true},
    .otherwise = "hierarchical",
    .memory = {.message = 1, .shares = 1},
    .about =
        {.idea = "reduce-scatter on every node, exclusive scan on all lanes at once, allgather and "
                 "exclusive scan on every node",
         .rounds = "at most 1 + log_4 n + max(2, log_4 n) + max(2, log_4 N); at most max(2, log_4 "
                   "N) where n < 2",
         .volume = "3m - m/n a process; m a node",
         .memory = "m + m/n; at most m + q m/k where nodes differ in size",
         .source = "Traeff and Hunold 2020, Section 3.5"},
});

}  // namespace laneway
