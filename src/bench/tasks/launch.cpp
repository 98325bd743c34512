// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tasks/launch.hpp"

#include <ctime>

#include <laneway.h>

#include "bench/job/clock.hpp"
#include "bench/job/ranks.hpp"

namespace laneway::bench {
namespace {

/// The seconds to add to now() for the time since the epoch.
double epoch()
{
    std::timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9 - now();
}

}  // namespace

void report_start(const Begin& begin, const GlobalClock& clock, const Team& team, int run,
                  Sink& sink)
{
    const double line = clock.global(begin.first_line);
    const double end = clock.global(begin.initialised);
    const std::vector<double> most = largest({-line, line, -end, end}, team.own);
    const double zero = epoch();  // Rank 0's counts: only rank 0 writes.
    sink.write(Row("start")
                   .add("run", run)
                   .add("ranks", team.machine.size)
                   .add("nodes", team.machine.nodes)
                   .add("ppn", team.machine.ppn)
                   .add("library", std::string_view(team.machine.library))
                   .add("main_first_us", (zero - most[0]) * 1e6)
                   .add("main_last_us", (zero + most[1]) * 1e6)
                   .add("init_first_us", (zero - most[2]) * 1e6)
                   .add("init_last_us", (zero + most[3]) * 1e6)
                   .add("serves_requests", laneway_serves_requests() != 0));
    sink.flush();
}

}  // namespace laneway::bench
