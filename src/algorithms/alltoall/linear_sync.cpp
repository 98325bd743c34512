// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"
#include "walks/all_to_all.hpp"

namespace laneway {

static void alltoall_linear_sync(const Alltoall& call, const Decomposition& on,
                                 const Tunables& tunables)
{
    const Partition blocks(call.result.count, on.world.size());
    all_to_all(call.input, blocks, call.result, blocks, static_cast<int>(tunables["window"]),
               one_way, on.world);
}

static const Register<Alltoall> entry({
    .run = alltoall_linear_sync,
    .flat = true,
    .memory = {.message = 1},
    .tunables = {window_tunable},
    .about = {.idea = "every block straight to its target, a few of them under way at once",
              .rounds = "ceil((p - 1)/window)",
              .volume = "(p - 1) m a process",
              .memory = "none; p m where the call is in place",
              .source = "the window of linear_sync in Open MPI's tuned collectives"},
});

}  // namespace laneway
