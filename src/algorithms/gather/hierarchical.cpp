// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/scatter_gather.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static const Register<Gather> entry({
    .run = blocks_by_leaders<Gather>,
    .memory = {.message = 1, .node_blocks = 1},
    .about = {.idea = "gather on every node to its process on the root's lane, then on that lane",
              .rounds = "2; 1 where n < 2",
              .volume = "a leader n m, the root (p-1) m; n m a node, the root's (p-n) m",
              .memory = "n m on leaders; (p + n) m on that of the root's node where ranks don't "
                        "ascend from node to "
                        "node",
              .source = "Traeff and Hunold 2020, Section 3.2 and Listing 4"},
});

}  // namespace laneway
