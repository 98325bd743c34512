// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/decomposition.hpp"
#include "walks/prefix.hpp"

namespace laneway {

static void scan_linear(const Scan& call, const Decomposition& on)
{
    prefix_chain({call.input, call.result, call.op, true}, whole_message, on.world);
}

static const Register<Scan> entry({
    .run = scan_linear,
    .flat = true,
    .memory = {.message = 1},

    .about = {.idea = "from rank to rank, whole messages",
              .rounds = "p - 1",
              .volume = "m a process",
              .memory = "m",
              .source = "folklore; the linear scan of MPI libraries"},
});

}  // namespace laneway
