// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tasks/hops.hpp"

#include <vector>

#include "bench/job/clock.hpp"
#include "bench/text/words.hpp"
#include "library/error.hpp"

namespace laneway::bench {
namespace {

constexpr int untimed = 5;  // Round trips, in which connections are made.

/// Sends a message there and back again; returns on the first rank half of its time, in microseconds.
double round_trip(const Team& team, bool first, int other)
{
    int message = 0;
    const double start = now();
    if (first) check(MPI_Send(&message, 1, MPI_INT, other, 0, team.world));
    check(MPI_Recv(&message, 1, MPI_INT, other, 0, team.world, MPI_STATUS_IGNORE));
    if (!first) check(MPI_Send(&message, 1, MPI_INT, other, 0, team.world));
    return (now() - start) / 2 * 1e6;
}

}  // namespace

void measure_hops(const Team& team, const Options& options, Sink& sink)
{
    const int rank = team.machine.rank, last = team.machine.size - 1;
    if (last == 0) throw Misunderstood("--hops needs two ranks");
    std::vector<double> times;
    check(MPI_Barrier(team.world));
    if (rank == 0 || rank == last)
        for (int i = -untimed; i < options.budget.repetitions; ++i) {
            const double time = round_trip(team, rank == 0, last - rank);
            if (i >= 0) times.push_back(time);
        }
    check(MPI_Barrier(team.world));
    if (rank == 0) sink.hurry(Row("hops").add("run", options.run).add("times_us", times));
}

}  // namespace laneway::bench
