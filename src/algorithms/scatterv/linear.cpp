// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"

namespace laneway {

static void scatterv_linear(const Scatterv& call, const Decomposition& on)
{
    serve_by_ours(call, on);
}

static const Register<Scatterv> entry({
    .run = scatterv_linear,
    .flat = true,
    .about = {.idea = "the root sends everyone its block",
              .rounds = "1",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "none",
              .source = "as in MPI libraries; it needs no word of others' counts"},
});

}  // namespace laneway
