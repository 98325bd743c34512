// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/block_exchange.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static void scatterv_lane_segmented(const Scatterv& call, const Decomposition& on,
                                    const Tunables& tunables)
{
    exchange_blocks_in_segments(ScattervMatrix(call, on), call.mine.type, tunables["whole"],
                                as_told(tunables), on);
}

static const Register<Scatterv> entry({
    .run = scatterv_lane_segmented,
    .concurrent = true,
    .memory = {.message = 1},
    .tunables = {short_between, segment_between, ahead_tunable},
    .about =
        {.idea = "lane, one other node after the other, each row in up to 8 segments, several "
                 "of them under way at "
                 "once: while one is on the lanes, others are on the nodes",
         .rounds =
             "at most 2 ceil((N-1) min(8, S)/a) + 2; at most ceil((N-1) min(8, S)/a) where n < 2",
         .volume = "the root (p-1) m, a process of its node N m; n m a node, the root's (p-n) m",
         .memory = "a m/8 on the root's node; none where n < 2",
         .source = "the text of lane; several segments under way at once are ours"},
});

}  // namespace laneway
