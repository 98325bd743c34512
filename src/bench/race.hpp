// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "bench/options.hpp"

namespace laneway::bench {

/// How those that are compared share the time of a case: they take turns in blocks of repetitions.

/// The largest of all ranks' values, element by element.
std::vector<double> largest(std::vector<double> values, MPI_Comm comm);

/// Untimed repetitions of each before the first block: those asked for, or else so many that all of
/// them together take a twentieth of the time, and these at most.
int most_warm_up(const Options& options);

/// Whether one more of `contestants` belongs to the warm-up of one of them after `done`, which took
/// `spent` seconds.
bool still_cold(const Options& options, std::size_t contestants, int done, double spent);

/// Repetitions in a block, so that everyone gets several blocks within `seconds` and no more than
/// `repetitions`. `once` is what one repetition of everyone's takes, in seconds.
int block_size(double once, double seconds, int repetitions);

}  // namespace laneway::bench
