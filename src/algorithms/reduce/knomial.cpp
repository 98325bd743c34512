// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "decomposition/whole.hpp"
#include "walks/up.hpp"

namespace laneway {

static void reduce_knomial(const Reduce& call, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_for(call.op, call.root, on, tunables);
    const Tree tree = tree::knomial(order.position(on.world.rank()), on.world.size(),
                                    static_cast<int>(tunables["radix"]));
    reduce_up(call.input, call.result, call.op, segment_for(call.op, on, tunables), tree, order,
              call.root, on.world);
}

static const Register<Reduce> entry({
    .run = reduce_knomial,
    .flat = true,
    .memory = {.message = 4},
    .tunables = {radix_tunable, long_segment_tunable, order_tunable},
    .about =
        {.idea =
             "in each round, of r processes that have a sum, r - 1 give it to the first; where the "
             "operator does not commute, in rank order to rank 0, which gives it to the root",
         .rounds = "log_r(p (r - 1) + 1) - 2 + S",
         .volume = "((r - 1) (log_r p - 1) + ceil(p/r**(log_r p - 1)) - 1) m a process",
         .memory = "2m; 4s where S > 1",
         .source = "the binomial tree to another base"},
});

}  // namespace laneway
