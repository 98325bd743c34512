// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/job/global_clock.hpp"
#include "bench/job/team.hpp"
#include "bench/text/sink.hpp"

namespace laneway::bench {

/// Moments of a process's start, by its own clock.
struct Begin {
    double first_line;   ///< The time of the first line of main.
    double initialised;  ///< The time when MPI_Init had returned.
};

/// Writes when the first and the last rank began, in microseconds since the epoch by rank 0's clock. Whoever started
/// the launcher knows when that was. Collective.
void report_start(const Begin& begin, const GlobalClock& clock, const Team& team, int run,
                  Sink& sink);

}  // namespace laneway::bench
