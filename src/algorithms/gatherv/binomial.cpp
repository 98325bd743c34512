// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "walks/weighted.hpp"

namespace laneway {

static void gatherv_binomial(const Gatherv& call, const Decomposition& on)
{
    walk_weighted(inwards, call.whole, call.mine, call.part, call.root, on.world);
}

static const Register<Gatherv> entry({
    .run = gatherv_binomial,
    .flat = true,
    .told = Told::everyone,
    .memory = {.message = 1},
    .about = {.idea = "neighbouring ranges of ranks merge two by two; what is shorter "
                      "goes to where more has come together",
              .rounds = "at most log p",
              .volume = "(p-1) m a process",
              .memory = "at most 2**(log p - 1) m",
              .source =
                  "Traeff 2017 (arXiv:1702.05967); that all are told the lengths first is ours"},
});

}  // namespace laneway
