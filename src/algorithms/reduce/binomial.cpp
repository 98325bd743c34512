// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "decomposition/whole.hpp"
#include "walks/up.hpp"

namespace laneway {

static void reduce_binomial(const Reduce& call, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_for(call.op, call.root, on, tunables);
    const Tree tree = tree::binomial(order.position(on.world.rank()), on.world.size());
    reduce_up(call.input, call.result, call.op, segment_for(call.op, on, tunables), tree, order,
              call.root, on.world);
}

static const Register<Reduce> entry({
    .run = reduce_binomial,
    .flat = true,
    .memory = {.message = 4},
    .tunables = {long_segment_tunable, order_tunable},
    .about = {.idea = "in each round, every second process that has a sum gives it to the one "
                      "before it; where the operator does not commute, in rank order to rank 0, "
                      "which gives it to the root",
              .rounds = "log(p+1) - 2 + S",
              .volume = "m log p a process",
              .memory = "2m; 4s where S > 1",
              .source = "Thakur, Rabenseifner, Gropp 2005"},
});

}  // namespace laneway
