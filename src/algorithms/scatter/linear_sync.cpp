// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/in_turn.hpp"

namespace laneway {

static void scatter_linear_sync(const Scatter& call, const Decomposition& on,
                                const Tunables& tunables)
{
    scatter_in_turn(call.whole, call.mine, Partition(call.whole.count, on.world.size()),
                    static_cast<int>(tunables["window"]), order_from(call.root, on, tunables),
                    on.world);
}

static const Register<Scatter> entry({
    .run = scatter_linear_sync,
    .flat = true,
    .memory = {.message = 1},
    .tunables = {window_tunable, order_tunable},
    .about =
        {.idea = "the root sends a block to who has said that it is ready, some at once",
         .rounds = "1 + ceil((p - 1)/window)",
         .volume = "(p-1) m a process; (p-n) m a node",
         .memory = "a byte",
         .source =
             "the idea of Open MPI's linear with synchronisation; signals and window are ours"},
});

}  // namespace laneway
