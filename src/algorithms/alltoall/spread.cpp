// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"
#include "walks/all_to_all.hpp"

namespace laneway {

static void alltoall_spread(const Alltoall& call, const Decomposition& on, const Tunables& tunables)
{
    const Partition blocks(call.result.count, on.world.size());
    all_to_all(call.input, blocks, call.result, blocks, static_cast<int>(tunables["window"]),
               both_ways, on.world);
}

static const Register<Alltoall> entry({
    .run = alltoall_spread,
    .flat = true,
    .memory = {.message = 1},
    .tunables = {window_tunable},
    .about = {.idea =
                  "blocks to ranks +1, -1, +2, -2 ... in turn, a few of them under way at once: "
                  "both directions of a ring or torus are in use",
              .rounds = "ceil((p - 1)/window)",
              .volume = "(p - 1) m a process",
              .memory = "none; p m where the call is in place",
              .source = "after doublespread of Fugaku's MPI, of which only the name is published"},
});

}  // namespace laneway
