// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/gossip.hpp"

namespace laneway {

static void allgatherv_circulant(const Allgatherv& call, const Decomposition& on,
                                 const Tunables& tunables)
{
    const Order order = order_from(0, on, tunables);
    place(call.mine, call.result, call.part, on.world);
    allgather_in_rounds(circulant(order.position(on.world.rank()), on.world.size()), call.result,
                        call.part, order, on.world);
}

static const Register<Allgatherv> entry({
    .run = allgatherv_circulant,
    .flat = true,
    .tunables = {order_tunable},
    .about = {.idea = "on a circulant graph whose skips halve p, rounded up: everyone's blocks "
                      "come to be those of the next "
                      "2, 4 ... ranks",
              .rounds = "log p",
              .volume = "(p - 1) m a process",
              .memory = "none",
              .source =
                  "Traeff, Optimal, non-pipelined reduce-scatter and allreduce algorithms, 2024"},
});

}  // namespace laneway
