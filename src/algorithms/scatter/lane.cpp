// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/blocks_by_lanes.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static const Register<Scatter> entry({
    .run = blocks_by_lanes<Scatter>,
    .memory = {.shares = 1, .redistributed = 1},
    .about =
        {.idea = "the root gives the processes of its node the lanes' shares; scatter on all lanes "
                 "at once",
         .rounds = "2; 1 where n < 2",
         .volume = "the root (p-1) m, a process of its node N m; n m a node, the root's (p-n) m",
         .memory = "N m on the root's node; at most q (p + n) m/k where nodes differ in size",
         .source = "Traeff and Hunold 2020, Section 3.2; irregular communicators are ours"},
});

}  // namespace laneway
