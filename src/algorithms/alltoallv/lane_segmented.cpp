// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/block_exchange.hpp"
#include "collectives/algorithm.hpp"
#include "walks/all_to_all.hpp"

namespace laneway {

static void alltoallv_lane_segmented(const Alltoallv& call, const Decomposition& on,
                                     const Tunables& tunables)
{
    const Leaving leaving(call.input, call.result, on.world);
    exchange_blocks_in_segments(AlltoallvMatrix(call, leaving.buffer(), on), call.result.type,
                                tunables["whole"], as_told(tunables), on);
}

static const Register<Alltoallv> entry({
    .run = alltoallv_lane_segmented,
    .concurrent = true,
    .memory = {.message = 3},
    .tunables = {short_between, segment_between, ahead_tunable},
    .about = {.idea = "lane, one other node after the other, each row in up to 8 segments, several "
                      "of them under way at "
                      "once: while one is on the lanes, others are on the nodes",
              .rounds = "at most 3 ceil((N-1) min(8, n S)/a) + 1; at most ceil((N-1) min(8, n "
                        "S)/a) where n < 2",
              .volume = "at most 2 (N-1) n m + (n-1) N m a process; n (p-n) m a node",
              .memory = "a n m/4; none where n < 2; p m more where the call is in place",
              .source = "the text of lane; several segments under way at once are ours"},
});

}  // namespace laneway
