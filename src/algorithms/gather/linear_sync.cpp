// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/in_turn.hpp"

namespace laneway {

static void gather_linear_sync(const Gather& call, const Decomposition& on,
                               const Tunables& tunables)
{
    gather_in_turn(call.mine, call.whole, Partition(call.whole.count, on.world.size()),
                   static_cast<int>(tunables["window"]), order_from(call.root, on, tunables),
                   on.world);
}

static const Register<Gather> entry({
    .run = gather_linear_sync,
    .flat = true,
    .memory = {.message = 1},
    .tunables = {window_tunable, order_tunable},
    .about =
        {.idea = "the root lets some processes at once send their blocks, so that long messages do "
                 "not meet there",
         .rounds = "2 ceil((p - 1)/window)",
         .volume = "(p-1) m a process; (p-n) m a node",
         .memory = "a byte",
         .source =
             "the idea of Open MPI's linear with synchronisation; signals and window are ours"},
});

}  // namespace laneway
