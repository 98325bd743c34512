// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/segmented.hpp"

namespace laneway {

static void scan_lane_segmented(const Scan& call, const Decomposition& on, const Tunables& tunables)
{
    in_segments(
        call.input.count, call.input.extent, tunables, on,
        [&](std::int64_t first, std::int64_t length) {
            by_text_of<Scan>(
                "lane",
                {call.input.slice(first, length), call.result.slice(first, length), call.op}, on);
        });
}

static const Register<Scan> entry({
    .run = scan_lane_segmented,
    .needs = {.consecutive = true, .shares = true},
    .otherwise = "hierarchical",
    .concurrent = true,
    .memory = {.message = 2},
    .tunables = {under_way_segment, ahead_tunable},
    .about = {.idea = lane_in_segments,
              .rounds = "(3n + N) m/(a s), a segments of s bytes under way",
              .volume = "3m - m/n a process; m a node",
              .memory = "(1 + 1/n) a s, a segments of s bytes under way",
              .source = source_of_segments},
});

}  // namespace laneway
