// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/block_exchange.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static const Register<NeighborAlltoallv> entry({
    .run = rows_by_one_lane_a_pair<NeighborAlltoallv>,
    .memory = {.message = 2},
    .about =
        {.idea = "what a node has for another one goes as one message, by another lane for "
                 "each pair of nodes",
         .rounds = "3; 1 where n < 2",
         .volume =
             "at most (2 n - 1) n ceil(N/n) m + (N-1) n m + (n-1) m a process; n (p-n) m a node",
         .memory = "2 n n ceil(N/n) m; none where n < 2",
         .source = "Collom, Li, Bienz, Optimizing irregular communication with neighborhood "
                   "collectives and "
                   "locality-aware parallelism, 2023, Section 4; rows between nodes, which "
                   "both know, are ours"},
});

}  // namespace laneway
