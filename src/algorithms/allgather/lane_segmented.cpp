// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/segmented.hpp"
#include "mpi/datatype.hpp"
namespace laneway {

static void allgather_lane_segmented(const Allgather& call, const Decomposition& on,
                                     const Tunables& tunables)
{
    const auto length = static_cast<int>(call.result.count / on.world.size());
    in_segments(length, call.result.extent, tunables, on,
                [&](std::int64_t first, std::int64_t count) {
                    // Of every block the same stretch, as one element.
                    const Datatype stretch =
                        Datatype::strided(1, static_cast<int>(count), 1, call.result.type, length);
                    const Buffer mine = call.mine.slice(first, 0);
                    const Buffer whole = call.result.slice(first, 0);
                    by_text_of<Allgather>("lane",
                                          {Buffer::of(mine.data, 1, stretch),
                                           Buffer::of(whole.data, on.world.size(), stretch)},
                                          on);
                });
}

static const Register<Allgather> entry({
    .run = allgather_lane_segmented,
    .needs = {.regular = true, .consecutive = true},
    .otherwise = "lane_reorder",
    .concurrent = true,
    .tunables = {under_way_segment, ahead_tunable},
    .about = {.idea = lane_in_segments,
              .rounds = "(N + n) m/(a s), a segments of s bytes under way",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "none",
              .source = source_of_segments},
});

}  // namespace laneway
