// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/replicated.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static void reduce_lane_binary(const Reduce& call, const Decomposition& on,
                               const Tunables& tunables)
{
    reduce_replicated(call, on, tunables["segment"], pipelined::binary);
}

static const Register<Reduce> entry({
    .run = reduce_lane_binary,
    .needs = {.commutative = true, .shares = true, .elementwise = true},
    .otherwise = "lane_segmented",
    .own_up_to = own_always,
    .memory = {.shares = 7},
    .tunables = {block_tunable},
    .about = {.idea = "lane_pipeline with a balanced binary tree over the nodes",
              .rounds = "log(N+1) + S; log(N+1) - 2 + S where n < 2",
              .volume = "min(2, N-1) m/k on its lane and (n-1) m/k on its node a process, the root "
                        "2m (n-1)/n + min(2, N-1) m/n; min(2, N-1) m a node",
              .memory = "m/n + 6s",
              .source = "Traeff and Hunold 2020, Section 5, a binary tree on k lanes, backwards"},
});

}  // namespace laneway
