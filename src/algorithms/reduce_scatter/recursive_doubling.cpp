// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/reduce_scatter.hpp"

namespace laneway {

static void reduce_scatter_recursive_doubling(const ReduceScatter& call, const Decomposition& on,
                                              const Tunables& tunables)
{
    reduce_scatter_by_allreduce(call.input, call.result, call.part, call.op,
                                order_for(call.op, 0, on, tunables), on.world);
}

static const Register<ReduceScatter> entry({
    .run = reduce_scatter_recursive_doubling,
    .flat = true,
    .memory = {.message = 2},
    .tunables = {order_tunable},
    .about = {.idea = "pairs of processes exchange what they have of all blocks, at twice the "
                      "distance in each round, and keep their own block; where p is no power of "
                      "two, some neighbours act as one",
              .rounds = "log p; log p + 1 where p is no power of two",
              .volume = "p m log p a process",
              .memory = "2 p m",
              .source = "the allreduce of Thakur, Rabenseifner, Gropp 2005; for operators that "
                        "look at all blocks at once"},
});

}  // namespace laneway
