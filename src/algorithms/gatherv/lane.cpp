// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/block_exchange.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static const Register<Gatherv> entry({
    .run = rows_by_all_lanes<Gatherv>,
    .memory = {.message = 1},
    .tunables = {short_between, long_between},
    .about = {.idea = "what each other node has for the root is one row, cut into equal shares "
                      "whatever the counts, one a lane",
              .rounds = "2; 1 where n < 2",
              .volume =
                  "the root (p-1) m, a process of its node N m; n m a node, the root's (p-n) m",
              .memory = "(N-1) m on the root's node; none where n < 2",
              .source = "the lanes of Traeff and Hunold 2020, Section 3; rows between nodes, which "
                        "both know, are ours"},
});

}  // namespace laneway
