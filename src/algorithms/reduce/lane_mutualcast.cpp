// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/by_lanes.hpp"
#include "algorithms/families/mutualcast.hpp"
#include "collectives/algorithm.hpp"
#include "patterns/hub.hpp"
#include "walks/up.hpp"

namespace laneway {

static void reduce_lane_mutualcast(const Reduce& call, const Decomposition& on,
                                   const Tunables& tunables)
{
    by_hubs(
        call.input.count, call.input.extent, tunables, on,
        [&](std::int64_t first, std::int64_t length, int hub) {
            const auto on_lane = [hub](const Buffer& share, MPI_Op op, int root, const Part& lane) {
                const Order from_root(root, lane.size());
                const Tree tree = tree::by_hub(from_root.position(lane.rank()), hub, lane.size());
                reduce_up(share, share, op, whole_message, links_of(tree, from_root, lane));
            };
            reduce_by_lanes({call.input.slice(first, length), call.result.slice(first, length),
                             call.op, call.root},
                            on, on_lane);
        });
}

static const Register<Reduce> entry({
    .run = reduce_lane_mutualcast,
    .needs = {.commutative = true, .shares = true, .elementwise = true},
    .otherwise = "lane_segmented",
    .concurrent = true,
    .memory = {.message = 2},
    .tunables = {filling_segment, ahead_tunable.with_preset(8)},
    .about = {.idea = "lane in segments, each by way of one of the other nodes, which take turns, "
                      "combine it from all others and send it to the root's",
              .rounds = "at most 3 + 3 ceil((N - 1) ceil(S/(N - 1))/a); at most 2 ceil((N - 1) "
                        "ceil(S/(N - 1))/a) where n < 2",
              .volume = "m a process, the root 2m (n-1)/n + m/n; m a node",
              .memory = "a s, a segments of s bytes under way; at most 3 a s/n where nodes have "
                        "fewer than 3 processes",
              .source = "on all lanes, the trees of Li, Chou, Zhang 2005 (Mutualcast), backwards"},
});

}  // namespace laneway
