// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/allreduce.hpp"

namespace laneway {

static void allreduce_swing(const Allreduce& call, const Decomposition& on,
                            const Tunables& tunables)
{
    const Order order = order_from(0, on, tunables);
    const Folded folded(onto_cube(on.world.size()), order, on.world);
    allreduce_in_phases(call.input, call.result, call.op, swing(folded.actor(), folded.actors()),
                        folded, on.world);
}

static const Register<Allreduce> entry({
    .run = allreduce_swing,
    .needs = {.commutative = true, .elementwise = true},
    .otherwise = "rabenseifner",
    .flat = true,
    .memory = {.message = 1},
    .tunables = {order_tunable},
    .about = {.idea = "reduce-scatter and allgather in pairs at the distances 1, 1, 3, 5, 11 ..., "
                      "to alternating sides, which are fewer hops on a torus; where p is no power "
                      "of two, some neighbours act as one",
              .rounds = "2 log p",
              .volume = "2 m (p - 1)/p a process; (3 - 2/2**(log(p + 1) - 1)) m a process where p "
                        "is no power of two",
              .memory = "m/2; m in place where p is no power of two",
              .source = "De Sensi, Bonato, Saam, Hoefler, Swing: short-cutting rings for higher "
                        "bandwidth allreduce, NSDI 2024"},
});

}  // namespace laneway
