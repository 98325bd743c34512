// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/by_lanes.hpp"
#include "algorithms/families/k_ported.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static void bcast_lane(const Bcast& call, const Decomposition& on, const Tunables& tunables)
{
    if (is_whole(call, tunables)) return broadcast_whole(call, on);

    broadcast_by_lanes(call, on, [](const Buffer& share, int root, const Part& lane) {
        serve(Bcast{share, root}, lane);
    });
}

static const Register<Bcast> entry({
    .run = bcast_lane,
    .tunables = {whole_tunable},
    .about = {.idea = "scatter on the root's node, broadcast on all lanes at once, allgather on "
                      "every node; the root, which has it all, only sends there",
              .rounds = "log_4 n + log_4(3N+1); log_4(3N+1) - 1 where n < 2",
              .volume = "2m (n-1)/n + m/n a process; m a node",
              .memory = "none",
              .source =
                  "Traeff and Hunold 2020, Section 3.1 and Listing 1; there the root gathers, "
                  "too"},
});

}  // namespace laneway
