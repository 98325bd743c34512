// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/node_phase.hpp"

namespace laneway {

static void bcast_lane_regular(const Bcast& call, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const Partition part = on.by_lanes(call.data.count);
    const int lane = on.node.rank();
    const Buffer mine = part.block(call.data, lane);

    if (on.node_index() == root_node) serve(Scatter{call.data, mine, root_local}, on.node);
    serve(Bcast{mine, root_node}, on.lane(lane));
    if (on.node_index() == root_node)
        exchange_parts(call.data, part, root_local, on);
    else
        serve(in_place(call.data, on.node), on.node);
}

static const Register<Bcast> entry({
    .run = bcast_lane_regular,
    .needs = {.regular = true, .divisible = true},
    .otherwise = "lane",
    .about = {.idea = "lane with the regular scatter and allgather on the node",
              .rounds = "log_4 n + log_4(3N+1); log_4(3N+1) - 1 where n < 2",
              .volume = "2m (n-1)/n + m/n a process; m a node",
              .memory = "none",
              .source = "Traeff and Hunold 2020, Section 3.1"},
});

}  // namespace laneway
