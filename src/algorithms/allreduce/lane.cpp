// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/node_phase.hpp"

namespace laneway {

static void allreduce_lane(const Allreduce& call, const Decomposition& on)
{
    const Partition part = on.by_lanes(call.input.count);
    const NodeSums sums(call.input, call.result, part, call.op, on);

    sums.for_lanes([&](int lane, const Buffer& partial) {
        serve(Allreduce{partial, part.block(call.result, lane), call.op}, on.lane(lane));
    });
    allgather_parts(call.result, part, on);
}

static const Register<Allreduce> entry({
    .run = allreduce_lane,
    .needs = {.rank_order = true, .shares = true, .elementwise = true},
    .otherwise = "hierarchical",
    .memory = {.shares = 1},
    .about = {.idea = "reduce-scatter on every node, allreduce on all lanes at once, allgather on "
                      "every node",
              .rounds =
                  "at most 1 + log_4 n + 2 max(f, log_4 N); at most 2 max(f, log_4 N) where n "
                  "< 2 - where f is the number of prime factors of N",
              .volume = "2m (p-1)/p a process; 2m (N-1)/N a node",
              .memory = "m/n; at most q m/k where nodes differ in size",
              .source = "Traeff and Hunold 2020, Section 3.4 and Listing 7; rank order is kept "
                        "where nodes are consecutive, as node partial results are combined in node "
                        "order"},
});

}  // namespace laneway
