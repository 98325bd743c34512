// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/ring.hpp"

namespace laneway {

static void allreduce_ring_segmented(const Allreduce& call, const Decomposition& on,
                                     const Tunables& tunables)
{
    const Partition part(call.result.count, on.world.size());
    const Order order = order_from(0, on, tunables);
    reduce_scatter_ring(call.input, call.result, part, call.op, tunables["segment"], order,
                        on.world);
    allgather_ring(call.result, part, order, on.world);
}

static const Register<Allreduce> entry({
    .run = allreduce_ring_segmented,
    .needs = {.commutative = true, .elementwise = true},
    .otherwise = "rabenseifner",
    .flat = true,
    .memory = {.shares = 2},
    .tunables = {segment_tunable, order_tunable},
    .about = {.idea = "ring whose parts go round in segments: one is added while the next arrives",
              .rounds = "ceil((p - 1) ceil(S/p)/min(ceil(S/p), 4)) + p - 1",
              .volume = "2 m (p - 1)/p a process",
              .memory = "none; 2s in place",
              .source = "the segmented ring of Open MPI; Patarasuk and Yuan 2009"},
});

}  // namespace laneway
