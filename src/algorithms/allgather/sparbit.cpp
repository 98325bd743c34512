// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/gossip.hpp"

namespace laneway {

static void allgather_sparbit(const Allgather& call, const Decomposition& on,
                              const Tunables& tunables)
{
    const Partition part(call.result.count, on.world.size());
    const Order order = order_from(0, on, tunables);
    place(call.mine, call.result, part, on.world);
    const int position = order.position(on.world.rank());
    allgather_in_rounds(sparbit(position, on.world.size()), call.result, part, order, on.world);
}

static const Register<Allgather> entry({
    .run = allgather_sparbit,
    .flat = true,
    .tunables = {order_tunable},
    .about = {.idea = "everyone passes on what it has to half the distance in each round, so most "
                      "blocks travel to the nearest; they do not lie side by side, and a datatype "
                      "takes them together",
              .rounds = "log p",
              .volume = "(p - 1) m a process",
              .memory = "none",
              .source = "Loch and Koslovski, Sparbit: a new logarithmic-cost and data "
                        "locality-aware MPI allgather algorithm, 2021"},
});

}  // namespace laneway
