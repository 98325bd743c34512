// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/down.hpp"

namespace laneway {

static void bcast_binomial(const Bcast& call, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_from(call.root, on, tunables);
    const Tree tree = tree::binomial(order.position(on.world.rank()), on.world.size());
    send_down(call.data, tunables["segment"], links_of(tree, order, on.world));
}

static const Register<Bcast> entry({
    .run = bcast_binomial,
    .flat = true,
    .tunables = {long_segment_tunable, order_tunable},
    .about = {.idea = "whoever has the message sends it to one more process in each round, at half "
                      "the distance each time",
              .rounds = "log(p+1) - 2 + S",
              .volume = "m log p a process",
              .memory = "none",
              .source = "Thakur, Rabenseifner, Gropp 2005"},
});

}  // namespace laneway
