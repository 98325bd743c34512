// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/down.hpp"

namespace laneway {

static void bcast_knomial(const Bcast& call, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_from(call.root, on, tunables);
    const Tree tree = tree::knomial(order.position(on.world.rank()), on.world.size(),
                                    static_cast<int>(tunables["radix"]));
    send_down(call.data, tunables["segment"], links_of(tree, order, on.world));
}

static const Register<Bcast> entry({
    .run = bcast_knomial,
    .flat = true,
    .tunables = {radix_tunable, long_segment_tunable, order_tunable},
    .about = {.idea = "whoever has the message sends it to r - 1 more processes at once, at the "
                      "r-th part of the distance each time",
              .rounds = "log_r(p (r - 1) + 1) - 2 + S",
              .volume = "((r - 1) (log_r p - 1) + ceil(p/r**(log_r p - 1)) - 1) m a process",
              .memory = "none",
              .source = "the binomial tree to another base"},
});

}  // namespace laneway
