// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "algorithms/families/block_exchange.hpp"
#include "collectives/algorithm.hpp"
#include "walks/all_to_all.hpp"

namespace laneway {

/// Each pair of nodes has a lane of its own.
static void alltoallv_node_aware(const Alltoallv& call, const Decomposition& on)
{
    constexpr std::int64_t always = std::numeric_limits<std::int64_t>::max();
    const Leaving leaving(call.input, call.result, on.world);
    exchange_blocks(AlltoallvMatrix(call, leaving.buffer(), on), call.result.type, always, on);
}

static const Register<Alltoallv> entry({
    .run = alltoallv_node_aware,
    .memory = {.message = 3},
    .about =
        {.idea = "what a node has for another one goes as one message, by another lane for "
                 "each pair of nodes",
         .rounds = "3; 1 where n < 2",
         .volume =
             "at most (2 n - 1) n ceil(N/n) m + (N-1) n m + (n-1) m a process; n (p-n) m a node",
         .memory = "2 n n ceil(N/n) m; none where n < 2; p m more where the call is in place",
         .source = "Collom, Li, Bienz, Optimizing irregular communication with neighborhood "
                   "collectives and "
                   "locality-aware parallelism, 2023, Section 4; rows between nodes, which "
                   "both know, are ours"},
});

}  // namespace laneway
