// SPDX-License-Identifier: BSD-3-Clause
#include "walks/circulant.hpp"
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"

namespace laneway {

static void bcast_circulant(const Bcast& call, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_from(call.root, on, tunables);
    circulant_bcast(call.data, tunables["segment"], order, on.world);
}

static const Register<Bcast> entry({
    .run = bcast_circulant,
    .flat = true,
    .tunables = {segment_tunable, order_tunable},
    .about =
        {.idea = "on a circulant graph, in every round each process sends a segment and receives "
                 "another one: no algorithm takes fewer rounds",
         .rounds = "S - 1 + log p",
         .volume = "m + (log p - 1) (m - (S - 1) s) a process",
         .memory = "none",
         .source = "Traeff, Round-optimal n-block broadcast schedules in logarithmic time, 2023"},
});

}  // namespace laneway
