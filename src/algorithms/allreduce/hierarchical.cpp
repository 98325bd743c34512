// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"

namespace laneway {

static void allreduce_hierarchical(const Allreduce& call, const Decomposition& on)
{
    const int leaders_lane = on.leading_lane(), leader = on.owner(leaders_lane, on.node_index());
    if (on.nodes() == 1) return serve(Allreduce{call.input, call.result, call.op}, on.node);
    if (on.nodes() == on.world.size())
        return serve(Allreduce{call.input, call.result, call.op}, on.lane(leaders_lane));

    serve(Reduce{call.input, call.result, call.op, leader}, on.node);
    if (on.node.rank() == leader)
        serve(Allreduce{call.result, call.result, call.op}, on.lane(leaders_lane));
    serve(Bcast{call.result, leader}, on.node);
}

static const Register<Allreduce> entry({
    .run = allreduce_hierarchical,
    .needs = {.rank_order = true},
    .own_up_to = plain::short_bytes,
    .memory = {.message = 1},
    .about = {.idea = "reduce on every node, allreduce between the nodes' first processes, "
                      "broadcast on every node",
              .rounds = "at most 2 log_4 n + 2 max(f, log_4 N) - where f is the number of prime "
                        "factors of N",
              .volume = "2m a process, first ones m + 2m (N-1)/N; 2m (N-1)/N a node",
              .memory = "none; m on first processes where the result is at MPI_BOTTOM on Open MPI",
              .source = "Traeff and Hunold 2020, Section 3.4 and Listing 9"},
});

}  // namespace laneway
