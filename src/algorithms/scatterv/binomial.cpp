// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "walks/weighted.hpp"

namespace laneway {

static void scatterv_binomial(const Scatterv& call, const Decomposition& on)
{
    walk_weighted(outwards, call.whole, call.mine, call.part, call.root, on.world);
}

static const Register<Scatterv> entry({
    .run = scatterv_binomial,
    .flat = true,
    .told = Told::everyone,
    .memory = {.message = 1},
    .about = {.idea = "a range of ranks is halved in each round; what is shorter goes "
                      "on from where more stays",
              .rounds = "at most log p",
              .volume = "(p-1) m a process",
              .memory = "at most 2**(log p - 1) m",
              .source =
                  "Traeff 2017 (arXiv:1702.05967); that all are told the lengths first is ours"},
});

}  // namespace laneway
