// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/decomposition.hpp"
#include "decomposition/whole.hpp"
#include "walks/prefix.hpp"

namespace laneway {

static void exscan_chain(const Exscan& call, const Decomposition& on, const Tunables& tunables)
{
    prefix_chain({call.input, call.result, call.op, false}, segment_for(call.op, on, tunables),
                 on.world);
}

static const Register<Exscan> entry({
    .run = exscan_chain,
    .flat = true,
    .memory = {.message = 1},
    .tunables = {segment_tunable},
    .about = {.idea = "from rank to rank in segments: one is on its way while others are added",
              .rounds = "p - 2 + S",
              .volume = "m a process",
              .memory = "m",
              .source = "Sanders and Traeff, Parallel prefix (scan) algorithms for MPI, 2006: the "
                        "linear pipeline"},
});

}  // namespace laneway
