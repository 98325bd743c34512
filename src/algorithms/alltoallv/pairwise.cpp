// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"
#include "walks/all_to_all.hpp"

namespace laneway {

static void alltoallv_pairwise(const Alltoallv& call, const Decomposition& on)
{
    all_to_all(call.input, call.input_part, call.result, call.result_part, 1, one_way, on.world);
}

static const Register<Alltoallv> entry({
    .run = alltoallv_pairwise,
    .flat = true,
    .memory = {.message = 1},
    .about = {.idea = "in round i everyone sends to the i-th rank after it and receives from the "
                      "i-th before it",
              .rounds = "p - 1",
              .volume = "(p - 1) m a process",
              .memory = "none; p m where the call is in place",
              .source = "Thakur, Rabenseifner, Gropp 2005, for long messages"},
});

}  // namespace laneway
