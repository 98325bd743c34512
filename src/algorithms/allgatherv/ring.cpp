// SPDX-License-Identifier: BSD-3-Clause
#include "walks/ring.hpp"
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/gossip.hpp"

namespace laneway {

static void allgatherv_ring(const Allgatherv& call, const Decomposition& on,
                            const Tunables& tunables)
{
    place(call.mine, call.result, call.part, on.world);
    allgather_ring(call.result, call.part, tunables["segment"], order_from(0, on, tunables),
                   on.world);
}

static const Register<Allgatherv> entry({
    .run = allgatherv_ring,
    .flat = true,
    .tunables = {segment_tunable.with_preset(32 << 10), order_tunable},
    .about = {.idea = "blocks go round in segments, each passed on as soon as it has come",
              .rounds = "ceil((p - 1) S/min(S, 4))",
              .volume = "(p - 1) m a process",
              .memory = "none",
              .source = "Thakur, Rabenseifner, Gropp 2005; segments of blocks of any lengths as in "
                        "Traeff, Ripke, Siebert, "
                        "Balaji, Thakur, Gropp, A pipelined algorithm for large, irregular "
                        "all-gather problems, 2010"},
});

}  // namespace laneway
