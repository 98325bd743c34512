// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/k_ported.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static const Register<Bcast> entry({
    .run = broadcast_whole,
    .own_up_to = plain::short_bytes,
    .about = {.idea = "a node is one processor with k ports: it sends the whole message to k nodes "
                      "at once, each of its processes to another one",
              .rounds = "at most log_4(3n+1) - 1 + log_4(3n+1) log_(k+1) N",
              .volume = "2m a round a process; k m a round a node",
              .memory = "none",
              .source = "Traeff and Hunold 2020, Section 5, k-ported broadcast on k lanes"},
});

}  // namespace laneway
