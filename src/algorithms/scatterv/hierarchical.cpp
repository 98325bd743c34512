// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/block_exchange.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static const Register<Scatterv> entry({
    .run = rows_by_leaders<Scatterv>,
    .memory = {.message = 1},
    .about = {.idea = "by a first process of every node, which gives the others theirs",
              .rounds = "at most 3; 1 where n < 2",
              .volume = "a leader n m, the root (p-1) m; n m a node, the root's (p-n) m",
              .memory = "(p-n) m on the root's node; none where n < 2",
              .source = "Traeff and Hunold 2020, Section 3.2, as hierarchical there"},
});

}  // namespace laneway
