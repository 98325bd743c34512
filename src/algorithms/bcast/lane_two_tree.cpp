// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/replicated.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static void bcast_lane_two_tree(const Bcast& call, const Decomposition& on,
                                const Tunables& tunables)
{
    broadcast_replicated(call, on, tunables["segment"], pipelined::two_tree);
}

static const Register<Bcast> entry({
    .run = bcast_lane_two_tree,
    .own_up_to = own_always,
    .tunables = {block_tunable},
    .about = {.idea = "lane_pipeline with two binary trees over the nodes, every second segment "
                      "down each: a node that sends in one only receives in the other",
              .rounds = "log N + 1 + ceil(S/2); log N - 1 + ceil(S/2) where n < 2",
              .volume = "m/k on its lane and (n-1) m/k on its node a process, the root 2m (n-1)/n "
                        "+ m/n; m a node - where S is odd, some carry m/S more",
              .memory = "none",
              .source = "Traeff and Hunold 2020, Section 5, the two trees of Sanders, Speck, "
                        "Traeff 2009 on k lanes"},
});

}  // namespace laneway
