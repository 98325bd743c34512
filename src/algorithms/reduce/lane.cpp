// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/by_lanes.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static void reduce_lane(const Reduce& call, const Decomposition& on)
{
    reduce_by_lanes(call, on, [](const Buffer& share, MPI_Op op, int root, const Part& lane) {
        serve(Reduce{share, share, op, root}, lane);
    });
}

static const Register<Reduce> entry({
    .run = reduce_lane,
    .needs = {.rank_order = true, .shares = true, .elementwise = true},
    .otherwise = "hierarchical",
    .memory = {.shares = 2},
    .about = {.idea =
                  "reduce-scatter on every node, reduce on all lanes at once, gather on the root's "
                  "node",
              .rounds = "at most log_4(3N+1) + 1 - where the operator commutes, else one more; "
                        "at most log_4(3N+1) - 1 where n < 2",
              .volume = "m a process, the root 2m (n-1)/n + m/n; m a node",
              .memory = "m/n; at most q m/k where nodes differ in size; twice that where MPICH "
                        "reduces to a rank but 0",
              .source = "Traeff and Hunold 2020, Section 3.4"},
});

}  // namespace laneway
