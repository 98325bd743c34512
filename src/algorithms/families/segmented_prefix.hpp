// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "algorithms/families/prefix.hpp"
#include "collectives/algorithm.hpp"
#include "decomposition/segmented.hpp"

namespace laneway {

template <class Call>
void prefix_in_segments(const Call& call, const Decomposition& all, const Tunables& tunables)
{
    const Decomposition on = all.with_leaders(tunables["leaders"]);
    const std::int64_t count = call.input.count, extent = call.input.extent;
    in_segments(count, extent, fill_soon(count * extent, tunables, on, on.nodes() / 2), on,
                [&](std::int64_t first, std::int64_t length) {
                    prefix_by_shares(call.input.slice(first, length),
                                     call.result.slice(first, length), std::is_same_v<Call, Scan>,
                                     call.op, on);
                });
}

/// `lane_segmented` of scan and exscan, which differ in whether one's own input counts.
template <class Call>
Algorithm segmented_prefix()
{
    return {
        .run = prefix_in_segments<Call>,
        .needs = {.consecutive = true, .shares = true, .elementwise = true},
        .otherwise = "hierarchical",
        .concurrent = true,
        .memory = {.message = 3},
        .tunables = {filling_segment.with_preset(32 << 10), ahead_tunable, all_leaders},
        .about =
            {.idea =
                 "for segments of the message, several of them under way at once: everyone's "
                 "shares to their owners on the "
                 "node, which scan them, an exclusive scan on all lanes at once, and shares of "
                 "the results back; chains of ours as components, of one segment alone exchanges",
             .rounds = "N - 2 + 3 ceil(S/a); at most max(2, log_4 N) where S < 2 and n < 2; at "
                       "most 2 + max(2, log_4 N) where S < 2; N - 2 + ceil(S/a) where n < 2",
             .volume = "2m (n-1)/n + m/n a process; m a node, 2m (N-1)/N where S < 2",
             .memory = "(1 + 2/n) a s, a segments of s bytes under way",
             .source =
                 "after lane (Traeff and Hunold 2020, Section 3.5); that owners of shares also "
                 "scan the node's, and segments, are ours"},
    };
}

}  // namespace laneway
