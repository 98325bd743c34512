// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/gossip.hpp"

namespace laneway {

static void allgather_neighbor_exchange(const Allgather& call, const Decomposition& on,
                                        const Tunables& tunables)
{
    const Partition part(call.result.count, on.world.size());
    const Order order = order_from(0, on, tunables);
    place(call.mine, call.result, part, on.world);
    const int position = order.position(on.world.rank());
    allgather_in_rounds(neighbor_exchange(position, on.world.size()), call.result, part, order,
                        on.world);
}

static const Register<Allgather> entry({
    .run = allgather_neighbor_exchange,
    .flat = true,
    .tunables = {order_tunable},
    .about = {.idea = "neighbours exchange the last two blocks that they got, on one side and the "
                      "other in turn; the last one, on both sides at once, where p is odd",
              .rounds = "floor(p/2)",
              .volume = "(p - 1) m a process",
              .memory = "none",
              .source = "Chen et al., Performance evaluation of allgather algorithms on terascale "
                        "Linux cluster with fast Ethernet, 2005; for odd p ours"},
});

}  // namespace laneway
