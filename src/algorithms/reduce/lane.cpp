// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/node_phase.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

static void reduce_lane(const Reduce& call, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const Partition part(call.input.count, on.lanes());
    const Scratch scratch(owned_count(part, on), call.input.type);
    const Buffer owned = scratch.buffer();

    reduce_scatter_parts(call.input, owned, part, call.op, on);
    std::int64_t done = 0;
    on.for_lanes([&, root = root_node](int lane) {
        const Buffer partial = owned.slice(done, part.size(lane));
        reduce(partial, partial, call.op, root, on.lane(lane));
        done += part.size(lane);
    });
    if (on.node_index() == root_node) gather_parts(owned, call.result, part, root_local, on);
}

static const Register<Reduce> entry({
    .run = reduce_lane,
    .needs = {.rank_order = true, .shares = true},
    .otherwise = "hierarchical",
    .memory = {.shares = 2},
    .about = {.idea =
                  "reduce-scatter on every node, reduce on all lanes at once, gather on the root's "
                  "node",
              .rounds = "at most log_4(3N+1) + 2; at most log_4(3N+1) where n < 2",
              .volume = "m a process, the root 2m (n-1)/n + m/n; m a node",
              .memory = "m/n; at most q m/k where nodes differ in size; twice that where MPICH "
                        "reduces to a rank but 0",
              .source = "Traeff and Hunold 2020, Section 3.4"},
});

}  // namespace laneway
