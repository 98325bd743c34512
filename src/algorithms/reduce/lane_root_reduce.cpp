// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/node_phase.hpp"

namespace laneway {

/// The root's node reduces once, at the end. Its processes reduce their own inputs on the lanes, share by share, with
/// the sums of the other nodes. The root reduces the inputs that are so completed.
static void reduce_lane_root_reduce(const Reduce& call, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const bool at_root = on.node_index() == root_node;
    const Partition part = on.by_lanes(call.input.count);
    const Scratch scratch(at_root ? call.input.count : owned_count(part, on), call.input.type);
    const Buffer mine = scratch.buffer();

    if (at_root)
        copy(call.input, mine, on.world);
    else
        reduce_scatter_parts(call.input, mine, part, call.op, on);

    std::int64_t done = 0;
    on.for_lanes([&, root = root_node](int lane) {
        const Buffer partial = at_root ? part.block(mine, lane) : mine.slice(done, part.size(lane));
        serve(Reduce{partial, partial, call.op, root}, on.lane(lane));
        done += part.size(lane);
    });
    if (at_root) serve(Reduce{mine, call.result, call.op, root_local}, on.node);
}

static const Register<Reduce> entry({
    .run = reduce_lane_root_reduce,
    .needs = {.commutative = true, .shares = true, .elementwise = true},
    .otherwise = "hierarchical",
    .memory = {.message = 2},
    .about =
        {.idea = "lane, but on the root's node one reduction at the end in place of reduce-scatter "
                 "and gather",
         .rounds = "at most log_4(3n+1) + log_4(3N+1) - 1",
         .volume = "m a process, on the root's node m + m/n; m a node",
         .memory = "m/n, m on the root's node; m/n more where MPICH reduces to a rank but 0",
         .source = "Traeff and Hunold 2020, Section 3.4, named there but not tried"},
});

}  // namespace laneway
