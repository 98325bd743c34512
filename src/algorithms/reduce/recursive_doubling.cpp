// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/decomposition.hpp"
#include "walks/to_root.hpp"

namespace laneway {

static void reduce_recursive_doubling(const Reduce& call, const Decomposition& on)
{
    reduce_by_pairs(call.input, call.result, call.op, call.root, on.world);
}

static const Register<Reduce> entry({
    .run = reduce_recursive_doubling,
    .flat = true,
    .memory = {.message = 2},
    .about =
        {.idea = "pairs of processes, at twice the distance in each round: who is farther from the "
                 "root gives its sum to the other one, in rank order whichever process the root "
                 "is; where p is no power of two, some neighbours act as one",
         .rounds = "at most log p",
         .volume = "at most m log p a process",
         .memory = "2m",
         .source = "Thakur, Rabenseifner, Gropp 2005, the binomial tree; with any root in rank "
                   "order is ours"},
});

}  // namespace laneway
