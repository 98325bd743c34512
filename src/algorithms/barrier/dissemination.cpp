// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/signals.hpp"

namespace laneway {

constexpr Tunable barrier_radix{"radix", "", 2,
                                2,       64, "signals of a process in a round, and one more"};

static void barrier_dissemination(const Barrier&, const Decomposition& on, const Tunables& tunables)
{
    barrier_dissemination(static_cast<int>(tunables["radix"]), order_from(0, on, tunables),
                          on.world);
}

static const Register<Barrier> entry({
    .run = barrier_dissemination,
    .flat = true,
    .tunables = {barrier_radix, order_tunable},
    .about = {.idea = "everyone signals to the r - 1 processes at the next distances: r times as "
                      "far in each round",
              .rounds = "log_r p",
              .volume = "none",
              .memory = "none",
              .source = "Hensgen, Finkel, Manber, Two algorithms for barrier synchronization, "
                        "1988; Hoefler, Mehlan, Mietke, Rehm 2006 for radices above 2"},
});

}  // namespace laneway
