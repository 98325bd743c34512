// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "data/partition.hpp"
#include "decomposition/ordered.hpp"
#include "walks/reduce_scatter.hpp"

namespace laneway {

static void reduce_scatter_block_recursive_halving(const ReduceScatterBlock& call,
                                                   const Decomposition& on,
                                                   const Tunables& tunables)
{
    const Order order = order_from(0, on, tunables);
    reduce_scatter_halving(call.input, call.result, Partition(call.input.count, on.world.size()),
                           call.op, order, order, on.world);
}

static const Register<ReduceScatterBlock> entry({
    .run = reduce_scatter_block_recursive_halving,
    .needs = {.commutative = true, .elementwise = true},
    .otherwise = "butterfly",
    .flat = true,
    .memory = {.message = 2},
    .tunables = {order_tunable},
    .about = {.idea = "pairs of processes exchange the half that the other one goes on with, at "
                      "half the distance in each round; where p is no power of two, some "
                      "neighbours act as one",
              .rounds = "log p; log p + 1 where p is no power of two",
              .volume = "(p - 1) m a process; at most 5/2 p m a process where p is no power of two",
              .memory = "3/2 p m; at most 2 p m where p is no power of two",
              .source = "Thakur, Rabenseifner, Gropp 2005"},
});

}  // namespace laneway
