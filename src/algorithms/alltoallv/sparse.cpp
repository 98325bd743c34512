// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"
#include "walks/all_to_all.hpp"

namespace laneway {

static void alltoallv_sparse(const Alltoallv& call, const Decomposition& on)
{
    to_partners(call.input, call.input_part, call.result, call.result_part, on.world);
}

static const Register<Alltoallv> entry({
    .run = alltoallv_sparse,
    .flat = true,
    .memory = {.message = 1},
    .about = {.idea =
                  "everyone takes in all blocks that there are, then sends its own, all at once",
              .rounds = "1",
              .volume = "(p - 1) m a process",
              .memory = "none; p m where the call is in place",
              .source = "as in MPI libraries, for neighbours"},
});

}  // namespace laneway
