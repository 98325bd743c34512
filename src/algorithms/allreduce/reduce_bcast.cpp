// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "decomposition/whole.hpp"
#include "walks/up_and_down.hpp"

namespace laneway {

static void allreduce_reduce_bcast(const Allreduce& call, const Decomposition& on,
                                   const Tunables& tunables)
{
    const Order order = order_for(call.op, 0, on, tunables);
    const Tree tree = tree::binary(order.position(on.world.rank()), on.world.size());
    reduce_up_and_down(call.input, call.result, call.op, segment_for(call.op, on, tunables),
                       links_of(tree, order, on.world));
}

static const Register<Allreduce> entry({
    .run = allreduce_reduce_bcast,
    .flat = true,
    .memory = {.message = 4},
    .tunables = {segment_tunable, order_tunable},
    .about = {.idea = "segments up a balanced binary tree, combined on their way, and each down "
                      "again as soon as it is reduced",
              .rounds = "2 log(p+1) - 3 + S",
              .volume = "3m a process; m a process where p < 3; 2m a process where p < 6",
              .memory = "4s; 2m where S < 2",
              .source = "Traeff 2021 (arXiv:2109.12626), Section 1, the pipelined binary tree; any "
                        "operator, as trees are numbered in preorder"},
});

}  // namespace laneway
