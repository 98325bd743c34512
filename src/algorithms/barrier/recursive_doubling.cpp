// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/signals.hpp"

namespace laneway {

static void barrier_recursive_doubling(const Barrier&, const Decomposition& on,
                                       const Tunables& tunables)
{
    barrier_doubling(order_from(0, on, tunables), on.world);
}

static const Register<Barrier> entry({
    .run = barrier_recursive_doubling,
    .flat = true,
    .tunables = {order_tunable},
    .about = {.idea = "pairs of processes signal to each other, at twice the distance in each "
                      "round; where p is no power of two, some neighbours act as one",
              .rounds = "log p; log p + 1 where p is no power of two",
              .volume = "none",
              .memory = "none",
              .source = "Brooks, The butterfly barrier, 1986"},
});

}  // namespace laneway
