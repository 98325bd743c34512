// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/replicated.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static void bcast_lane_circulant(const Bcast& call, const Decomposition& on,
                                 const Tunables& tunables)
{
    broadcast_replicated(call, on, tunables["segment"], pipelined::circulant);
}

static const Register<Bcast> entry({
    .run = bcast_lane_circulant,
    .own_up_to = own_always,
    .tunables = {block_tunable},
    .about = {.idea = "lane_pipeline with a circulant graph over the nodes: in every round each "
                      "process sends a segment on its lane and receives another one",
              .rounds = "log N + 1 + S; log N - 1 + S where n < 2",
              .volume = "(m + (log N - 1) m/S)/k on its lane and (n-1) m/k on its node a process, "
                        "the root 2m (n-1)/n + (m + (log N - 1) m/S)/n; m + (log N - 1) m/S a node",
              .memory = "none",
              .source = "Traeff and Hunold 2020, Section 5, on k lanes the round-optimal broadcast "
                        "of Traeff 2023"},
});

}  // namespace laneway
