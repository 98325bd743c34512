// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/replicated.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static void reduce_lane_pipeline(const Reduce& call, const Decomposition& on,
                                 const Tunables& tunables)
{
    reduce_replicated(call, on, tunables["segment"], pipelined::chain);
}

static const Register<Reduce> entry({
    .run = reduce_lane_pipeline,
    .needs = {.commutative = true, .shares = true, .elementwise = true},
    .otherwise = "lane_segmented",
    .own_up_to = own_always,
    .memory = {.shares = 5},
    .tunables = {block_tunable},
    .about = {.idea = "segments along a chain of the nodes on every lane, each carrying its share; "
                      "the processes of a node combine their inputs to the next segment meanwhile",
              .rounds = "N + S; N - 2 + S where n < 2",
              .volume = "m/k on its lane and (n-1) m/k on its node a process, the root 2m (n-1)/n "
                        "+ m/n; m a node",
              .memory = "m/n + 4s",
              .source = "Traeff and Hunold 2020, Section 5, linear pipeline on k lanes, backwards"},
});

}  // namespace laneway
