// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/block_exchange.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static const Register<Alltoallv> entry({
    .run = rows_by_leaders<Alltoallv>,
    .memory = {.message = 3},
    .about = {.idea = "first processes of the nodes exchange what nodes have for nodes, and give "
                      "everyone what is theirs",
              .rounds = "3; 1 where n < 2",
              .volume =
                  "p m a process, first ones n (p-n) m + (n-1) (p-n) m + (n-1) m; n (p-n) m a node",
              .memory = "2 n (p-n) m on first processes; none where n < 2; p m more where the call "
                        "is in place",
              .source = "aggregation by leaders as in Traeff and Rougier 2014"},
});

}  // namespace laneway
