// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/block_exchange.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

/// By the first lane alone.
static void scatterv_hierarchical(const Scatterv& call, const Decomposition& on)
{
    constexpr std::int64_t never = 0;
    exchange_blocks(ScattervMatrix(call, on), call.mine.type, never, on.with_leaders(1));
}

static const Register<Scatterv> entry({
    .run = scatterv_hierarchical,
    .memory = {.message = 1},
    .about = {.idea = "by a first process of every node, which gives the others theirs",
              .rounds = "at most 3; 1 where n < 2",
              .volume = "a leader n m, the root (p-1) m; n m a node, the root's (p-n) m",
              .memory = "(p-n) m on the root's node; none where n < 2",
              .source = "Traeff and Hunold 2020, Section 3.2, as hierarchical there"},
});

}  // namespace laneway
