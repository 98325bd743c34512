// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"
#include "walks/all_to_all.hpp"

namespace laneway {

static void alltoall_linear(const Alltoall& call, const Decomposition& on)
{
    const Partition blocks(call.result.count, on.world.size());
    all_to_all(call.input, blocks, call.result, blocks, on.world.size(), one_way, on.world);
}

static const Register<Alltoall> entry({
    .run = alltoall_linear,
    .flat = true,
    .memory = {.message = 1},
    .about = {.idea = "everyone sends every block straight to its target, all at once",
              .rounds = "1",
              .volume = "(p - 1) m a process",
              .memory = "none; p m where the call is in place",
              .source = "Thakur, Rabenseifner, Gropp 2005, for messages of middle length"},
});

}  // namespace laneway
