// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/gossip.hpp"

namespace laneway {

static void allgather_recursive_doubling(const Allgather& call, const Decomposition& on,
                                         const Tunables& tunables)
{
    const Partition part(call.result.count, on.world.size());
    const Order order = order_from(0, on, tunables);
    place(call.mine, call.result, part, on.world);
    const int position = order.position(on.world.rank());
    allgather_in_rounds(recursive_doubling(position, on.world.size()), call.result, part, order,
                        on.world);
}

static const Register<Allgather> entry({
    .run = allgather_recursive_doubling,
    .flat = true,
    .tunables = {order_tunable},
    .about = {.idea = "pairs of processes exchange all that they have, at twice the distance in "
                      "each round; where p is no power of two, some neighbours act as one",
              .rounds = "log p; log p + 1 where p is no power of two",
              .volume = "(p - 1) m a process; at most 5/2 p m a process where p is no power of two",
              .memory = "none",
              .source = "Thakur, Rabenseifner, Gropp 2005"},
});

}  // namespace laneway
