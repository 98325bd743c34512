// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/k_ported.hpp"
#include "decomposition/node_phase.hpp"

namespace laneway {

static void bcast_lane(const Bcast& call, const Decomposition& on, const Tunables& tunables)
{
    if (is_whole(call, tunables)) return broadcast_whole(call, on);

    const auto [root_node, root_local] = on.locate(call.root);
    const Partition part(call.data.count, on.lanes());

    if (on.node_index() == root_node) scatter_parts(call.data, part, root_local, on);
    on.for_lanes([&, root = root_node](int lane) {
        bcast(part.block(call.data, lane), root, on.lane(lane));
    });
    if (on.node_index() == root_node)
        exchange_parts(call.data, part, root_local, on);
    else
        allgather_parts(call.data, part, on);
}

static const Register<Bcast> entry({
    .run = bcast_lane,
    .tunables = {whole_tunable},
    .about = {.idea = "scatter on the root's node, broadcast on all lanes at once, allgather on "
                      "every node; the root, which has it all, only sends there",
              .rounds = "log_4 n + log_4(3N+1); log_4(3N+1) - 1 where n < 2",
              .volume = "2m (n-1)/n + m/n a process; m a node",
              .memory = "none",
              .source =
                  "Traeff and Hunold 2020, Section 3.1 and Listing 1; there the root gathers, "
                  "too"},
});

}  // namespace laneway
