// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/by_lanes.hpp"
#include "algorithms/families/mutualcast.hpp"
#include "collectives/algorithm.hpp"
#include "patterns/hub.hpp"
#include "walks/down.hpp"

namespace laneway {

static void bcast_lane_mutualcast(const Bcast& call, const Decomposition& on,
                                  const Tunables& tunables)
{
    by_hubs(call.data.count, call.data.extent, tunables, on,
            [&](std::int64_t first, std::int64_t length, int hub) {
                const auto on_lane = [hub](const Buffer& share, int root, const Part& lane) {
                    const Order from_root(root, lane.size());
                    const Tree tree =
                        tree::by_hub(from_root.position(lane.rank()), hub, lane.size());
                    send_down(share, whole_message, links_of(tree, from_root, lane));
                };
                broadcast_by_lanes({call.data.slice(first, length), call.root}, on, on_lane);
            });
}

static const Register<Bcast> entry({
    .run = bcast_lane_mutualcast,
    .concurrent = true,
    .tunables = {filling_segment, ahead_tunable.with_preset(8)},
    .about = {.idea = "lane in segments, each by way of one of the other nodes, which take turns "
                      "and send it on to all others",
              .rounds = "at most 2 + max(3, n) ceil((N - 1) ceil(S/(N - 1))/a); at most 2 ceil((N "
                        "- 1) ceil(S/(N - 1))/a) where n < 2",
              .volume = "2m (n-1)/n + m/n a process; m a node",
              .memory = "none",
              .source = "on all lanes, the trees of Li, Chou, Zhang 2005 (Mutualcast)"},
});

}  // namespace laneway
