// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/block_exchange.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static const Register<NeighborAlltoallv> entry({
    .run = rows_by_all_lanes<NeighborAlltoallv>,
    .memory = {.message = 2},
    .tunables = {short_between, long_between},
    .about =
        {.idea = "what a node has for another one is a row that both know; cut into equal shares, "
                 "one a lane, it goes to the owners of the lanes, over these, and from there to "
                 "its places",
         .rounds = "2; 1 where n < 2",
         .volume = "(N-1) n m + (n-1) N m a process; n (p-n) m a node",
         .memory = "(N-1) n m; none where n < 2",
         .source =
             "Traeff and Hunold 2020, Section 3.6; rows between nodes, which both know, are ours"},
});

}  // namespace laneway
