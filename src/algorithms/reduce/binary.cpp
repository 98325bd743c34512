// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "decomposition/whole.hpp"
#include "walks/up.hpp"

namespace laneway {

static void reduce_binary(const Reduce& call, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_for(call.op, call.root, on, tunables);
    const Tree tree = tree::binary(order.position(on.world.rank()), on.world.size());
    reduce_up(call.input, call.result, call.op, segment_for(call.op, on, tunables), tree, order,
              call.root, on.world);
}

static const Register<Reduce> entry({
    .run = reduce_binary,
    .flat = true,
    .memory = {.message = 4},
    .tunables = {segment_tunable, order_tunable},
    .about = {.idea =
                  "segments up a balanced binary tree, combined on their way; where the operator "
                  "does not commute, in rank order to rank 0, which gives it to the root",
              .rounds = "log(p+1) - 2 + S",
              .volume = "2m a process; m a process where p < 3",
              .memory = "4s; 2m where S < 2",
              .source = "Pjesivac-Grbovic et al. 2007, binary tree; in preorder, so "
                        "that any operator may come"},
});

}  // namespace laneway
