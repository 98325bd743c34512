// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "decomposition/whole.hpp"
#include "walks/up.hpp"

namespace laneway {

static void reduce_chain(const Reduce& call, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_for(call.op, call.root, on, tunables);
    const Tree tree = tree::chain(order.position(on.world.rank()), on.world.size());
    reduce_up(call.input, call.result, call.op, segment_for(call.op, on, tunables), tree, order,
              call.root, on.world);
}

static const Register<Reduce> entry({
    .run = reduce_chain,
    .flat = true,
    .memory = {.message = 2},
    .tunables = {segment_tunable, order_tunable},
    .about =
        {.idea =
             "segments along a chain of all ranks towards the root, combined on their way; where "
             "the operator does not commute, in rank order to rank 0, which gives it to the root",
         .rounds = "p - 2 + S",
         .volume = "m a process; m a node",
         .memory = "2s; m where S < 2",
         .source = "Pjesivac-Grbovic et al. 2007, pipeline"},
});

}  // namespace laneway
