// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"

namespace laneway {

static void reduce_scatter_linear(const ReduceScatter& call, const Decomposition& on)
{
    serve_by_ours(call, on);
}

static const Register<ReduceScatter> entry({
    .run = reduce_scatter_linear,
    .needs = {.elementwise = true},
    .flat = true,
    .memory = {.message = 3},
    .about = {.idea = "everyone's part of a block straight to the one that it is for, which "
                      "combines them in rank order; one "
                      "block after the other where some have many times the mean",
              .rounds = "1",
              .volume = "(p - 1) m a process",
              .memory = "at most p m",
              .source = "as the components of Laneway"},
});

}  // namespace laneway
