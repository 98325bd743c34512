// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"
#include "walks/gossip.hpp"
#include "walks/parts.hpp"

namespace laneway {

static void allgather_linear(const Allgather& call, const Decomposition& on)
{
    const Partition part(call.result.count, on.world.size());
    place(call.mine, call.result, part, on.world);
    exchange_in_group(call.result, part, everyone(on.world), on.world);
}

static const Register<Allgather> entry({
    .run = allgather_linear,
    .flat = true,
    .about = {.idea = "everyone sends its block to all others at once",
              .rounds = "1",
              .volume = "(p - 1) m a process",
              .memory = "none",
              .source = "folklore; the linear allgather of MPI libraries"},
});

}  // namespace laneway
