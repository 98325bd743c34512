// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/job/team.hpp"
#include "bench/options/options.hpp"
#include "bench/text/sink.hpp"

namespace laneway::bench {

/// Measures how long a message of 4 bytes takes from the first rank to the last, while all others wait in a barrier.
/// The time is half of each round trip, --repetitions of them. Collective over the team.
void measure_hops(const Team& team, const Options& options, Sink& sink);

}  // namespace laneway::bench
