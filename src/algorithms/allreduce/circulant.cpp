// SPDX-License-Identifier: BSD-3-Clause
#include "walks/circulant.hpp"
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "mpi/partition.hpp"

namespace laneway {

static void allreduce_circulant(const Allreduce& call, const Decomposition& on,
                                const Tunables& tunables)
{
    const Order order = order_from(0, on, tunables);
    const Partition parts(call.input.count, on.world.size());
    const Buffer own = parts.block(call.result, on.world.rank());
    circulant_reduce_scatter(call.input, own, parts, call.op, order, on.world);
    circulant_allgather(call.result, parts, order, on.world);
}

static const Register<Allreduce> entry({
    .run = allreduce_circulant,
    .needs = {.commutative = true},
    .otherwise = "recursive_doubling",
    .flat = true,
    .memory = {.message = 2},
    .tunables = {order_tunable},
    .about =
        {.idea =
             "reduce-scatter and allgather on a circulant graph whose skips halve p, rounded up",
         .rounds = "2 log p",
         .volume = "2m (p - 1)/p a process",
         .memory = "m; at most 2m where there are fewer elements than processes",
         .source = "Traeff, Optimal, non-pipelined reduce-scatter and allreduce algorithms, 2024"},
});

}  // namespace laneway
