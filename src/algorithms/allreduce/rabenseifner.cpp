// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/allreduce.hpp"

namespace laneway {

/// Halving begins with the nearest process, not with the farthest. So two processes combine operands of neighbours.
static void allreduce_rabenseifner(const Allreduce& call, const Decomposition& on,
                                   const Tunables& tunables)
{
    const Order order = order_for(call.op, 0, on, tunables);
    const Folded folded(onto_cube(on.world.size()), order, on.world);
    allreduce_in_phases(call.input, call.result, call.op,
                        near_first(folded.actor(), prime_factors(folded.actors())), folded,
                        on.world);
}

static const Register<Allreduce> entry({
    .run = allreduce_rabenseifner,
    .needs = {.elementwise = true},
    .otherwise = "recursive_doubling",
    .flat = true,
    .memory = {.message = 1},
    .tunables = {order_tunable},
    .about =
        {.idea = "reduce-scatter by recursive halving, allgather by recursive doubling; where "
                 "p is no power of two, some neighbours act as one",
         .rounds = "2 log p",
         .volume = "2 m (p - 1)/p a process; (3 - 2/2**(log(p + 1) - 1)) m a process where p "
                   "is no power of two",
         .memory = "m/2; m in place where p is no power of two",
         .source =
             "Thakur, Rabenseifner, Gropp 2005; any operator, as halving begins with neighbours"},
});

}  // namespace laneway
