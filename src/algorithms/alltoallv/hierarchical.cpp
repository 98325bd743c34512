// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/block_exchange.hpp"
#include "collectives/algorithm.hpp"
#include "walks/all_to_all.hpp"

namespace laneway {

/// By the first lane alone.
static void alltoallv_hierarchical(const Alltoallv& call, const Decomposition& on)
{
    constexpr std::int64_t never = 0;
    const Leaving leaving(call.input, call.result, on.world);
    exchange_blocks(AlltoallvMatrix(call, leaving.buffer(), on), call.result.type, never,
                    on.with_leaders(1));
}

static const Register<Alltoallv> entry({
    .run = alltoallv_hierarchical,
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
