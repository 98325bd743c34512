// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/replicated.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static void bcast_lane_binary(const Bcast& call, const Decomposition& on, const Tunables& tunables)
{
    broadcast_replicated(call, on, tunables["segment"], pipelined::binary);
}

static const Register<Bcast> entry({
    .run = bcast_lane_binary,
    .own_up_to = own_always,
    .tunables = {block_tunable},
    .about = {.idea = "lane_pipeline with a balanced binary tree over the nodes",
              .rounds = "log(N+1) + S; log(N+1) - 2 + S where n < 2",
              .volume = "min(2, N-1) m/k on its lane and (n-1) m/k on its node a process, the root "
                        "2m (n-1)/n + min(2, N-1) m/n; min(2, N-1) m a node",
              .memory = "none",
              .source = "Traeff and Hunold 2020, Section 5, a binary tree on k lanes"},
});

}  // namespace laneway
