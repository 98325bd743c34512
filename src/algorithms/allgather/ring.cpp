// SPDX-License-Identifier: BSD-3-Clause
#include "walks/ring.hpp"
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/gossip.hpp"

namespace laneway {

static void allgather_ring(const Allgather& call, const Decomposition& on, const Tunables& tunables)
{
    const Partition part(call.result.count, on.world.size());
    const Order order = order_from(0, on, tunables);
    place(call.mine, call.result, part, on.world);
    allgather_ring(call.result, part, order, on.world);
}

static const Register<Allgather> entry({
    .run = allgather_ring,
    .flat = true,
    .tunables = {order_tunable},
    .about = {.idea = "everyone passes on, in each round, the block that came in the last one",
              .rounds = "p - 1",
              .volume = "(p - 1) m a process",
              .memory = "none",
              .source = "Thakur, Rabenseifner, Gropp 2005"},
});

}  // namespace laneway
