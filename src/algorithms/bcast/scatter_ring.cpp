// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "data/partition.hpp"
#include "decomposition/ordered.hpp"
#include "walks/spread.hpp"

namespace laneway {

static void bcast_scatter_ring(const Bcast& call, const Decomposition& on, const Tunables& tunables)
{
    const Partition blocks(call.data.count, on.world.size());
    spread_by_ring(call.data, blocks, order_from(call.root, on, tunables), on.world);
}

static const Register<Bcast> entry({
    .run = bcast_scatter_ring,
    .flat = true,
    .tunables = {order_tunable},
    .about = {.idea = "binomial scatter, then an allgather by a ring; a process is not sent what "
                      "the scatter has left with it",
              .rounds = "log(p+1) + p - 2",
              .volume = "2 (p-1) m/p a process",
              .memory = "none",
              .source = "Thakur, Rabenseifner, Gropp 2005; van de Geijn's algorithm"},
});

}  // namespace laneway
