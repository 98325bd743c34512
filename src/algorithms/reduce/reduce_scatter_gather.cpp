// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/ordered.hpp"
#include "walks/blocks.hpp"
#include "walks/reduce_scatter.hpp"

namespace laneway {

static void reduce_reduce_scatter_gather(const Reduce& call, const Decomposition& on,
                                         const Tunables& tunables)
{
    const Order order = order_from(call.root, on, tunables);
    const Order blocks = Order::of_positions(on.world.size());
    const int position = order.position(on.world.rank());
    const Partition part(call.input.count, on.world.size());
    const Scratch mine(part.size(position), call.input.type);
    reduce_scatter_halving(call.input, mine.buffer(), part, call.op, order, blocks, on.world);
    const Tree tree = tree::binomial(position, on.world.size());
    walk_blocks(inwards, call.result, mine.buffer(), part, tree, order, blocks, on.world);
}

static const Register<Reduce> entry({
    .run = reduce_reduce_scatter_gather,
    .needs = {.commutative = true, .elementwise = true},
    .otherwise = "binomial",
    .flat = true,
    .memory = {.message = 3},
    .tunables = {order_tunable},
    .about = {.idea = "reduce-scatter by recursive halving, then a binomial gather",
              .rounds = "2 log p; at most 2 log p where p is no power of two",
              .volume = "2 (p-1) m/p a process; at most 7/2 m a process where p is no power of two",
              .memory = "3/2 m + m/p; at most 2m + m/p where p is no power of two",
              .source = "Thakur, Rabenseifner, Gropp 2005, Rabenseifner's algorithm"},
});

}  // namespace laneway
