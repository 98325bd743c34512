// SPDX-License-Identifier: BSD-3-Clause
#include "walks/circulant.hpp"
#include "collectives/algorithm.hpp"
#include "data/partition.hpp"
#include "decomposition/ordered.hpp"
#include "walks/gossip.hpp"

namespace laneway {

static void allreduce_circulant(const Allreduce& call, const Decomposition& on,
                                const Tunables& tunables)
{
    const int size = on.world.size();
    const Order order = order_from(0, on, tunables), blocks = Order::of_positions(size);
    const int position = order.position(on.world.rank());
    const Partition part(call.input.count, size);
    const Buffer own = part.block(call.result, position);
    circulant_reduce_scatter(call.input, own, part, call.op, order, blocks, on.world);
    allgather_in_rounds(circulant(position, size), call.result, part, order, blocks, on.world);
}

static const Register<Allreduce> entry({
    .run = allreduce_circulant,
    .needs = {.commutative = true, .elementwise = true},
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
