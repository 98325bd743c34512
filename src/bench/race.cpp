// SPDX-License-Identifier: BSD-3-Clause
#include "bench/race.hpp"

#include <algorithm>

#include "mpi/error.hpp"

namespace laneway::bench {
namespace {

constexpr int rounds_at_least = 5;      // What the block size leaves time for,
constexpr int block_at_most = 10;       // in repetitions.
constexpr int warm_up_at_most = 3;      // Repetitions,
constexpr double warm_up_share = 0.05;  // and of the time, for everyone's together.
constexpr double least = 1e-9;          // Seconds: a clock may show nothing at all.

}  // namespace

std::vector<double> largest(std::vector<double> values, MPI_Comm comm)
{
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE,
                        MPI_MAX, comm));
    return values;
}

int most_warm_up(const Options& options) { return options.warmup.value_or(warm_up_at_most); }

bool still_cold(const Options& options, std::size_t contestants, int done, double spent)
{
    if (done >= most_warm_up(options)) return false;
    const double fair = options.seconds * warm_up_share / static_cast<double>(contestants);
    return options.warmup || spent <= fair;
}

int block_size(double once, double seconds, int repetitions)
{
    const double fit = seconds / (rounds_at_least * std::max(once, least));
    return static_cast<int>(
        std::clamp(fit, 1.0, static_cast<double>(std::min(block_at_most, repetitions))));
}

}  // namespace laneway::bench
