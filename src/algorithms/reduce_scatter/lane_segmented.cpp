// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/blocks_by_lanes.hpp"
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "decomposition/segmented.hpp"

namespace laneway {

/// A step reduces the same part of every block.
static void reduce_scatter_lane_segmented(const ReduceScatter& call, const Decomposition& on,
                                          const Tunables& tunables)
{
    // In place, the result lies where other parts of the input are still read.
    const bool in_place = call.input.data == call.result.data;
    const Scratch apart(in_place ? call.result.count : 0, call.result.type);
    const Buffer result = in_place ? apart.buffer() : call.result;
    const std::int64_t element = size_of(call.input.type);
    const Travel travel = pmpi::is_commutative(call.op)
                              ? travel_of(call.part, element, tunables["around"], on)
                              : Travel::straight;
    in_stretches(call.part, element, as_told(tunables), on, [&](int at, int stretches) {
        reduce_scatter_by_lanes(call.input, Partition(result.count, stretches).block(result, at),
                                call.op, Shares(call.part, at, stretches, on), on, travel);
    });
    if (in_place) copy(result, call.result, on.world);
}

static const Register<ReduceScatter> entry({
    .run = reduce_scatter_lane_segmented,
    .needs = {.rank_order = true, .elementwise = true},
    .concurrent = true,
    .memory = {.message = 6},
    .tunables = {under_way_segment.with_preset(16 << 10), ahead_tunable, around_tunable},
    .about = {.idea = "lane for a part of each block, several of them under way at once: while one "
                      "is on the lanes, others are on the nodes; round a ring of nodes where "
                      "some have much more than others",
              .rounds = "2 ceil(S/a); ceil(S/a) where n < 2",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory =
                  "2 p a s, a segments of s bytes under way; m more where the call is in place",
              .source = source_of_segments},
});

}  // namespace laneway
