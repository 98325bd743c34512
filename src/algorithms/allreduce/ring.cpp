// SPDX-License-Identifier: BSD-3-Clause
#include "walks/ring.hpp"
#include "collectives/algorithm.hpp"
#include "data/segments.hpp"
#include "decomposition/ordered.hpp"

namespace laneway {

static void allreduce_ring(const Allreduce& call, const Decomposition& on, const Tunables& tunables)
{
    const Partition part(call.result.count, on.world.size());
    const Order order = order_from(0, on, tunables);
    reduce_scatter_ring(call.input, call.result, part, call.op, whole_message, order, on.world);
    allgather_ring(call.result, part, order, on.world);
}

static const Register<Allreduce> entry({
    .run = allreduce_ring,
    .needs = {.commutative = true, .elementwise = true},
    .otherwise = "rabenseifner",
    .flat = true,
    .memory = {.shares = 2},
    .tunables = {order_tunable},
    .about = {.idea = "one part of the message a process; each part goes round, and everyone adds "
                      "its own to it, then round again, to all",
              .rounds = "2 (p - 1)",
              .volume = "2 m (p - 1)/p a process",
              .memory = "none; 2 m/p in place",
              .source = "Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters "
                        "of workstations, 2009"},
});

}  // namespace laneway
