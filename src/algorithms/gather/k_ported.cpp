// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/scatter_gather.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static const Register<Gather> entry({
    .run = blocks_by_ports<Gather>,
    .memory = {.message = 1},
    .about = {.idea = "a node is one processor with k ports: its processes receive from k nodes at "
                      "once, from "
                      "each the blocks of the nodes below it; before that, gather on every node",
              .rounds = "at most 1 + 2 log_(k+1) N; at most log_(k+1) N where n < 2",
              .volume = "(p - 1) m a process; (p - n) m a node",
              .memory = "p m",
              .source = "Traeff and Hunold 2020, Section 5, k-ported gather on k lanes"},
});

}  // namespace laneway
