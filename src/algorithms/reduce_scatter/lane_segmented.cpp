// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "algorithms/families/reduce_scatter_vectors.hpp"
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "decomposition/segmented.hpp"

namespace laneway {

/// Of every block the same part at a time.
static void reduce_scatter_lane_segmented(const ReduceScatter& call, const Decomposition& on,
                                          const Tunables& tunables)
{
    const auto [segment, ahead] = as_told(tunables);
    const std::int64_t bytes = call.part.count() * size_of(call.input.type);
    const int segments = static_cast<int>(
        std::clamp<std::int64_t>(bytes / (segment * on.world.size()), 1, on.world.size() * 64));
    // In place, the result lies where other parts are still read.
    const bool in_place = call.input.data == call.result.data;
    const Scratch apart(in_place ? call.result.count : 0, call.result.type);
    const Buffer result = in_place ? apart.buffer() : call.result;
    const Partition own(call.result.count, segments);
    under_way(segments, ahead, [&](int at) {
        const ReduceScatter part{call.input, own.block(result, at), call.part, call.op};
        reduce_blocks_by_lanes(part, Shares(call.part, at, segments, on), on);
    });
    if (in_place) copy(result, call.result, on.world);
}

static const Register<ReduceScatter> entry({
    .run = reduce_scatter_lane_segmented,
    .needs = {.rank_order = true, .elementwise = true},
    .concurrent = true,
    .memory = {.message = 6},
    .tunables = {under_way_segment.with_preset(16 << 10), ahead_tunable},
    .about = {.idea = "lane for a part of each block, several of them under way at once: while one "
                      "is on the lanes, others "
                      "are on the nodes",
              .rounds = "2 ceil(S/a); ceil(S/a) where n < 2",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory =
                  "2 p a s, a segments of s bytes under way; m more where the call is in place",
              .source = source_of_segments},
});

}  // namespace laneway
