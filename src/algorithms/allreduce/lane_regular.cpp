// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "data/partition.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"

namespace laneway {

static void allreduce_lane_regular(const Allreduce& call, const Decomposition& on)
{
    const Partition part = on.by_lanes(call.input.count);
    const int lane = on.node.rank();
    const Scratch partial(part.size(lane), call.input.type);

    serve(ReduceScatterBlock{call.input, partial.buffer(), call.op}, on.node);
    serve(Allreduce{partial.buffer(), part.block(call.result, lane), call.op}, on.lane(lane));
    serve(in_place(call.result, on.node), on.node);
}

static const Register<Allreduce> entry({
    .run = allreduce_lane_regular,
    .needs = {.rank_order = true, .regular = true, .divisible = true, .elementwise = true},
    .otherwise = "lane",
    .memory = {.shares = 1},
    .about = {.idea = "lane with the regular reduce-scatter-block and allgather on the node",
              .rounds =
                  "at most 1 + log_4 n + 2 max(f, log_4 N); at most 2 max(f, log_4 N) where n "
                  "< 2 - where f is the number of prime factors of N",
              .volume = "2m (p-1)/p a process; 2m (N-1)/N a node",
              .memory = "m/n",
              .source = "Traeff and Hunold 2020, Section 3.4"},
});

}  // namespace laneway
