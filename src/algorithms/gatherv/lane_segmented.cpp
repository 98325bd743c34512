// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/block_exchange.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static const Register<Gatherv> entry({
    .run = rows_in_segments<Gatherv>,
    .concurrent = true,
    .memory = {.message = 1},
    .tunables = {short_between, long_between, segment_between, ahead_tunable},
    .about = {.idea = lane_by_rows_in_segments,
              .rounds = "at most 2 ceil((N-1) min(8, S)/a) + 2; at most min(min(8, S), ceil((N-1) "
                        "min(8, S)/a)) where n < 2",
              .volume =
                  "the root (p-1) m, a process of its node N m; n m a node, the root's (p-n) m",
              .memory = "a m/8 on the root's node; none where n < 2",
              .source = source_of_segments},
});

}  // namespace laneway
