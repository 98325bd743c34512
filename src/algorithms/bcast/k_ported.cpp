// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/k_ported.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static const Register<Bcast> entry({
    .run = broadcast_whole,
    .own_up_to = plain::short_bytes,
    .about = {.idea = "a node is one processor with k ports: it sends the whole message to k nodes "
                      "at once, each of its processes to another one",
              .rounds = "(1 + log n) log N / log(k+1)",
              .volume = "2m a round a process; k m a round a node",
              .memory = "none",
              .source = "Traeff and Hunold 2020, Section 5, k-ported broadcast on k lanes"},
});

}  // namespace laneway
