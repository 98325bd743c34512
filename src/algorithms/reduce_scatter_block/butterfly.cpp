// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "data/partition.hpp"
#include "decomposition/ordered.hpp"
#include "walks/reduce_scatter.hpp"

namespace laneway {

static void reduce_scatter_block_butterfly(const ReduceScatterBlock& call, const Decomposition& on,
                                           const Tunables& tunables)
{
    reduce_scatter_by_butterfly(call.input, call.result,
                                Partition(call.input.count, on.world.size()), call.op,
                                order_for(call.op, 0, on, tunables), on.world);
}

static const Register<ReduceScatterBlock> entry({
    .run = reduce_scatter_block_butterfly,
    .needs = {.elementwise = true},
    .flat = true,
    .memory = {.message = 2},
    .tunables = {order_tunable},
    .about = {.idea = "pairs of processes exchange the half that the other one goes on with, "
                      "neighbours first, at twice the distance in each round; blocks are moved in "
                      "memory before; where p is no power of two, some neighbours act as one",
              .rounds = "log p; log p + 1 where p is no power of two",
              .volume = "(p - 1) m a process; at most (2p + log p) m a process where p is no power "
                        "of two",
              .memory = "3/2 p m; at most 2 p m where p is no power of two",
              .source = "Traeff, An improved algorithm for (non-commutative) reduce-scatter with "
                        "an application, 2005"},
});

}  // namespace laneway
