// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"
#include "walks/all_to_all.hpp"

namespace laneway {

static void alltoallv_spread(const Alltoallv& call, const Decomposition& on)
{
    all_to_all(call.input, call.input_part, call.result, call.result_part, 8, both_ways, on.world);
}

static const Register<Alltoallv> entry({
    .run = alltoallv_spread,
    .flat = true,
    .memory = {.message = 1},
    .about = {.idea = "the nearest ranks first, on both sides, eight at a time",
              .rounds = "ceil((p - 1)/8)",
              .volume = "(p - 1) m a process",
              .memory = "none; p m where the call is in place",
              .source = "the regular spread, with blocks of any lengths"},
});

}  // namespace laneway
