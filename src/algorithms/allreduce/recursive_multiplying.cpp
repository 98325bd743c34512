// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/allreduce.hpp"

namespace laneway {

static void allreduce_recursive_multiplying(const Allreduce& call, const Decomposition& on,
                                            const Tunables& tunables)
{
    allreduce_multiplying(call.input, call.result, call.op, static_cast<int>(tunables["radix"]),
                          order_for(call.op, 0, on, tunables), on.world);
}

static const Register<Allreduce> entry({
    .run = allreduce_recursive_multiplying,
    .flat = true,
    .memory = {.message = radix_tunable.preset - 1},
    .tunables = {radix_tunable, order_tunable},
    .about =
        {.idea = "groups of r processes exchange what they have, at r times the distance in each "
                 "round; where the largest f r^x up to p, f < r, is less than p, some neighbours "
                 "act as one",
         .rounds = "log_r(p + 1) - 1 + min(1, floor(p / r**(log_r(p + 1) - 1)) - 1) + "
                   "2 min(1, p % r**(log_r(p + 1) - 1)) - where p = r^x: x",
         .volume = "((r - 1) (log_r(p + 1) - 1) + floor(p / r**(log_r(p + 1) - 1)) - 1 + "
                   "min(1, p % r**(log_r(p + 1) - 1))) m a process",
         .memory = "(r - 1) m",
         .source = "Ruefenacht, Bull, Booth, Generalisation of recursive doubling for allreduce, "
                   "2017"},
});

}  // namespace laneway
