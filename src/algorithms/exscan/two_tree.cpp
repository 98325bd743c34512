// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/decomposition.hpp"
#include "walks/prefix.hpp"

namespace laneway {

static void exscan_two_tree(const Exscan& call, const Decomposition& on, const Tunables& tunables)
{
    prefix_two_trees({call.input, call.result, call.op, false}, tunables["segment"], on.world);
}

static const Register<Exscan> entry({
    .run = exscan_two_tree,
    .needs = {.elementwise = true},
    .otherwise = "binary",
    .flat = true,
    .memory = {.message = 4},
    .tunables = {segment_tunable},
    .about = {.idea = "half of the message up and down each of two binary trees in rank order, in "
                      "segments; who is within one tree is a leaf of the other",
              .rounds = "at most log p + log(p+1) - 2 + ceil(m/(2s))",
              .volume = "2m a process; m a process where p < 3; 3m/2 a process where p < 5",
              .memory = "7m/2",
              .source = "Sanders, Speck, Traeff 2009, Section 5; without the colours of its edges, "
                        "as a process sends to several others at once"},
});

}  // namespace laneway
