// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/decomposition.hpp"
#include "walks/prefix.hpp"

namespace laneway {

static void scan_recursive_doubling(const Scan& call, const Decomposition& on)
{
    prefix_multiplying({call.input, call.result, call.op, true}, 2, on.world);
}

static const Register<Scan> entry({
    .run = scan_recursive_doubling,
    .flat = true,
    .memory = {.message = 2},

    .about = {.idea = "pairs of processes exchange the reduction of their groups, which are twice "
                      "as large in each round",
              .rounds = "log p",
              .volume = "m log p a process",
              .memory = "2m",
              .source = "Kruskal, Rudolph, Snir, The power of parallel prefix, 1985; the recursive "
                        "doubling of MPI libraries"},
});

}  // namespace laneway
