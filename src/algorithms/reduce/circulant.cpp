// SPDX-License-Identifier: BSD-3-Clause
#include "walks/circulant.hpp"
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "decomposition/whole.hpp"

namespace laneway {

static void reduce_circulant(const Reduce& call, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_from(call.root, on, tunables);
    circulant_reduce(call.input, call.result, call.op, segment_for(call.op, on, tunables), order,
                     on.world);
}

static const Register<Reduce> entry({
    .run = reduce_circulant,
    .needs = {.commutative = true},
    .otherwise = "binomial",
    .flat = true,
    .memory = {.message = 2},
    .tunables = {segment_tunable, order_tunable},
    .about =
        {.idea = "the round-optimal broadcast on a circulant graph backwards: in every round each "
                 "process sends a segment and combines another one",
         .rounds = "at most S - 1 + log p; at most log(p + 1) - 1 where S == 1",
         .volume = "m + (log p - 1) (m - (S - 1) s) a process",
         .memory = "m + s",
         .source =
             "Traeff, Optimal broadcast schedules in logarithmic time with applications, 2024"},
});

}  // namespace laneway
