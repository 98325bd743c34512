// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/allreduce.hpp"

namespace laneway {

static void allreduce_recursive_doubling(const Allreduce& call, const Decomposition& on,
                                         const Tunables& tunables)
{
    allreduce_multiplying(call.input, call.result, call.op, 2, order_for(call.op, 0, on, tunables),
                          on.world);
}

static const Register<Allreduce> entry({
    .run = allreduce_recursive_doubling,
    .flat = true,
    .memory = {.message = 1},
    .tunables = {order_tunable},
    .about = {.idea = "pairs of processes exchange what they have, at twice the distance in each "
                      "round; where p is no power of two, some neighbours act as one",
              .rounds = "log p; log p + 1 where p is no power of two",
              .volume = "m log p a process; n m log N a node",
              .memory = "m",
              .source = "Thakur, Rabenseifner, Gropp 2005; any operator, as what lower ranks have "
                        "is combined from the left"},
});

}  // namespace laneway
