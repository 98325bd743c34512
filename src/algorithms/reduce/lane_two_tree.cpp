// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/replicated.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static void reduce_lane_two_tree(const Reduce& call, const Decomposition& on,
                                 const Tunables& tunables)
{
    reduce_replicated(call, on, tunables["segment"], pipelined::two_tree);
}

static const Register<Reduce> entry({
    .run = reduce_lane_two_tree,
    .needs = {.commutative = true, .shares = true, .elementwise = true},
    .otherwise = "lane_segmented",
    .own_up_to = own_always,
    .memory = {.shares = 7},
    .tunables = {block_tunable},
    .about = {.idea = "lane_pipeline with two binary trees over the nodes, every second segment up "
                      "each: a node that combines in one only sends in the other",
              .rounds = "log N + 1 + ceil(S/2); log N - 1 + ceil(S/2) where n < 2",
              .volume = "m/k on its lane and (n-1) m/k on its node a process, the root 2m (n-1)/n "
                        "+ m/n; m a node - where S is odd, some carry m/S more",
              .memory = "m/n + 6s",
              .source = "Traeff and Hunold 2020, Section 5, the two trees of Sanders, Speck, "
                        "Traeff 2009 on k lanes, backwards"},
});

}  // namespace laneway
