// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/block_exchange.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static const Register<Alltoallv> entry({
    .run = rows_in_segments<Alltoallv>,
    .concurrent = true,
    .memory = {.message = 3},
    .tunables = {short_between, long_between, segment_between, ahead_tunable},
    .about = {.idea = lane_by_rows_in_segments,
              .rounds = "at most 3 ceil((N-1) min(8, n S)/a) + 1; at most ceil((N-1) min(8, n "
                        "S)/a) where n < 2",
              .volume = "at most 2 (N-1) n m + (n-1) N m a process; n (p-n) m a node",
              .memory = "a n m/4; none where n < 2; p m more where the call is in place",
              .source = source_of_segments},
});

}  // namespace laneway
