// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/replicated.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static void bcast_lane_pipeline(const Bcast& call, const Decomposition& on,
                                const Tunables& tunables)
{
    broadcast_replicated(call, on, tunables["segment"], pipelined::chain, tunables["back"] != 0);
}

static const Register<Bcast> entry({
    .run = bcast_lane_pipeline,
    .own_up_to = own_always,
    .tunables = {segment_tunable, back_tunable},
    .about = {.idea = "a chain over the nodes on every lane, each carrying its share in segments; "
                      "the processes of a node exchange a segment while the next one travels",
              .rounds = "N + S; N - 2 + S where n < 2",
              .volume = "m/k on its lane and (n-1) m/k on its node a process, the root 2m (n-1)/n "
                        "+ m/n; m a node",
              .memory = "none",
              .source = "Traeff and Hunold 2020, Section 5, linear pipeline on k lanes; that the "
                        "root gives its share to its node itself is ours"},
});

}  // namespace laneway
