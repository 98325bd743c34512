// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/scatter_gather.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static const Register<Scatter> entry({
    .run = blocks_by_columns<Scatter>,
    .needs = {.regular = true, .consecutive = true},
    .otherwise = "lane",
    .memory = {.shares = 1},
    .about = {.idea = "scatter on the root's node, then on all lanes at once, by strided datatypes",
              .rounds = "2; 1 where n < 2",
              .volume =
                  "the root (p-1) m, a process of its node N m; n m a node, the root's (p-n) m",
              .memory = "N m on the root's node, none at the root",
              .source = "Traeff and Hunold 2020, Section 3.2"},
});

}  // namespace laneway
