// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/decomposition.hpp"
#include "decomposition/whole.hpp"
#include "walks/prefix.hpp"

namespace laneway {

static void exscan_binary(const Exscan& call, const Decomposition& on, const Tunables& tunables)
{
    prefix_tree({call.input, call.result, call.op, false}, segment_for(call.op, on, tunables),
                on.world);
}

static const Register<Exscan> entry({
    .run = exscan_binary,
    .flat = true,
    .memory = {.message = 4},
    .tunables = {segment_tunable},
    .about = {.idea = "segments up and down a binary tree in rank order, both ways at once",
              .rounds = "log(floor(p/2) + 1) + log(floor((p - 1)/2) + 1) + S - 1",
              .volume = "3m a process; m a process where p < 5; 2m a process where p < 13",
              .memory = "4m",
              .source = "Sanders and Traeff, Parallel prefix (scan) algorithms for MPI, 2006: the "
                        "pipelined binary tree"},
});

}  // namespace laneway
