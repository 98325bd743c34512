// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/reduce_scatter.hpp"

namespace laneway {

/// Halving that begins with neighbours splits blocks by the lowest bit of their number first: they are moved to
/// where that makes halves of them.
static void reduce_scatter_butterfly(const ReduceScatter& call, const Decomposition& on,
                                     const Tunables& tunables)
{
    const Order order = order_for(call.op, 0, on, tunables);
    const Folded folded(onto_cube(on.world.size()), order, on.world);
    std::vector<int> actors;
    for (int part = 0; part < folded.actors(); ++part)
        actors.push_back(mirrored(part, folded.actors()));
    reduce_scatter_in_phases(call.input, call.result, call.part, call.op,
                             near_first(folded.actor(), prime_factors(folded.actors())), actors,
                             folded, order, on.world);
}

static const Register<ReduceScatter> entry({
    .run = reduce_scatter_butterfly,
    .needs = {.elementwise = true},
    .flat = true,
    .memory = {.message = 2},
    .tunables = {order_tunable},
    .about =
        {.idea = "pairs of processes exchange the half that the other one goes on with, "
                 "neighbours first, at twice the distance in each round; blocks are moved in "
                 "memory before; where p is no power of two, some neighbours act as one",
         .rounds = "log p; log p + 1 where p is no power of two",
         .volume =
             "(p - 1) m a process; at most (2p + log p) m a process where p is no power of two",
         .memory = "3/2 p m; at most 2 p m where p is no power of two",
         .source = "Traeff, An improved algorithm for (non-commutative) reduce-scatter with "
                   "an application, 2005"},
});

}  // namespace laneway
