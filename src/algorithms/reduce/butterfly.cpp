// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/decomposition.hpp"
#include "walks/to_root.hpp"

namespace laneway {

static void reduce_butterfly(const Reduce& call, const Decomposition& on)
{
    reduce_by_halves(call.input, call.result, call.op, call.root, on.world);
}

static const Register<Reduce> entry({
    .run = reduce_butterfly,
    .needs = {.elementwise = true},
    .otherwise = "recursive_doubling",
    .flat = true,
    .memory = {.message = 2},
    .about =
        {.idea =
             "reduce-scatter by recursive halving, neighbours first, then a gather, in rank order "
             "whichever process the root is; where p is no power of two, some neighbours "
             "act as one",
         .rounds = "2 log p; 2 log p - 1 where p is no power of two",
         .volume = "2 m (p - 1)/p a process; at most (3 - 2/2**(log(p + 1) - 1)) m a process where "
                   "p is no power of two",
         .memory = "3/2 m",
         .source = "Thakur, Rabenseifner, Gropp 2005, Rabenseifner's algorithm; halving begins "
                   "with neighbours, which keeps rank order"},
});

}  // namespace laneway
