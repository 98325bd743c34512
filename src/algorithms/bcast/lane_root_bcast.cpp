// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/node_phase.hpp"

namespace laneway {

/// The root has nothing to gather. So on its node, one broadcast takes the place of scatter and allgather.
static void bcast_lane_root_bcast(const Bcast& call, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const Partition part = on.by_lanes(call.data.count);

    if (on.node_index() == root_node) serve(Bcast{call.data, root_local}, on.node);
    on.for_lanes([&, root = root_node](int lane) {
        serve(Bcast{part.block(call.data, lane), root}, on.lane(lane));
    });
    if (on.node_index() != root_node) allgather_parts(call.data, part, on);
}

static const Register<Bcast> entry({
    .run = bcast_lane_root_bcast,
    .about = {.idea = "broadcast on the root's node, broadcast of the shares on all lanes at once, "
                      "allgather on the other nodes",
              .rounds = "log_4 n + log_4(3n+1) + log_4(3N+1) - 2",
              .volume = "m + m/n a process; m a node",
              .memory = "none",
              .source = "Traeff and Hunold 2020, Section 3.1, named there but not tried"},
});

}  // namespace laneway
