// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"

namespace laneway {

static void gatherv_linear(const Gatherv& call, const Decomposition& on)
{
    serve_by_ours(call, on);
}

static const Register<Gatherv> entry({
    .run = gatherv_linear,
    .flat = true,
    .about = {.idea = "everyone sends its block to the root",
              .rounds = "1",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "none",
              .source = "as in MPI libraries; it needs no word of others' counts"},
});

}  // namespace laneway
