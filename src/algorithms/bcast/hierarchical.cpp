// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/k_ported.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static void bcast_hierarchical(const Bcast& call, const Decomposition& on, const Tunables& tunables)
{
    if (is_whole(call, tunables)) return broadcast_whole(call, on);

    const auto [root_node, root_local] = on.locate(call.root);
    const int node = on.node_index();

    // Takes the root's lane, if it has one, and no other carries more; else the root's node must come first.
    const int lane = on.leading_lane(root_local % on.lanes());
    const bool root_first = on.owner(lane, root_node) != root_local;

    if (root_first && node == root_node) serve(Bcast{call.data, root_local}, on.node);
    if (on.serves(lane)) serve(Bcast{call.data, root_node}, on.lane(lane));
    if (!root_first || node != root_node) serve(Bcast{call.data, on.owner(lane, node)}, on.node);
}

static const Register<Bcast> entry({
    .run = bcast_hierarchical,
    .own_up_to = plain::short_bytes,
    .tunables = {whole_tunable},
    .about = {.idea = "broadcast between the nodes on the root's lane, then on every node",
              .rounds = "log_4(3n+1) + log_4(3N+1) - 2",
              .volume = "m a process, leaders 2m; m a node",
              .memory = "none",
              .source = "Traeff and Hunold 2020, Section 3.1 and Listing 2"},
});

}  // namespace laneway
