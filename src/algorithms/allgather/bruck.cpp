// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/gossip.hpp"

namespace laneway {

constexpr Tunable bruck_radix{"radix", "", 2,
                              2,       64, "processes that a block goes to in a round, and itself"};

static void allgather_bruck(const Allgather& call, const Decomposition& on,
                            const Tunables& tunables)
{
    const Partition part(call.result.count, on.world.size());
    const Order order = order_from(0, on, tunables);
    place(call.mine, call.result, part, on.world);
    const int position = order.position(on.world.rank());
    allgather_in_rounds(bruck(position, on.world.size(), static_cast<int>(tunables["radix"])),
                        call.result, part, order, on.world);
}

static const Register<Allgather> entry({
    .run = allgather_bruck,
    .flat = true,
    .tunables = {bruck_radix, order_tunable},
    .about = {.idea = "everyone passes on all that it has, to the r - 1 processes at the next "
                      "distances: r times as many blocks in each round",
              .rounds = "log_r p",
              .volume = "(p - 1) m a process",
              .memory = "none",
              .source = "Bruck, Ho, Kipnis, Upfal, Weathersby, Efficient algorithms for all-to-all "
                        "communications in multiport message-passing systems, 1997"},
});

}  // namespace laneway
