// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"

namespace laneway {

/// A process that leaves the barrier of a lane knows that a process of every node entered it. So all processes of all
/// nodes are there. Processes without a lane learn it from a second barrier on the node.
static void barrier_lane(const Barrier&, const Decomposition& on)
{
    serve(Barrier{}, on.node);
    on.for_lanes([&](int lane) { serve(Barrier{}, on.lane(lane)); });
    if (on.lanes() < on.node.size()) serve(Barrier{}, on.node);
}

static const Register<Barrier> entry({
    .run = barrier_lane,
    .own_up_to = plain::short_bytes,
    .about = {.idea = "barrier on every node, then on all lanes at once",
              .rounds = "log_4 n + log_4 N; 2 log_4 n + log_4 N where processes have no lane",
              .volume = "none",
              .memory = "none",
              .source = "the decomposition of Traeff and Hunold 2020, Section 3"},
});

}  // namespace laneway
