// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"

namespace laneway {

static void barrier_hierarchical(const Barrier&, const Decomposition& on)
{
    constexpr int leader = 0, leaders_lane = 0;

    serve(Barrier{}, on.node);
    if (on.node.rank() == leader) serve(Barrier{}, on.lane(leaders_lane));
    serve(Barrier{}, on.node);
}

static const Register<Barrier> entry({
    .run = barrier_hierarchical,
    .own_up_to = plain::short_bytes,
    .about = {.idea =
                  "barrier on every node, between the nodes' first processes, and on every node",
              .rounds = "2 log_4 n + log_4 N",
              .volume = "none",
              .memory = "none",
              .source = "the decomposition of Traeff and Hunold 2020, Section 3"},
});

}  // namespace laneway
