// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

namespace laneway::bench {

/// How those that are compared share the time of a case: they take turns in blocks of repetitions.

/// The largest of all ranks' values, element by element.
std::vector<double> largest(std::vector<double> values, MPI_Comm comm);

/// Repetitions in a block, so that everyone gets several blocks within `seconds` and no more than
/// `repetitions`. `once` is what one repetition of everyone's takes, in seconds.
int block_size(double once, double seconds, int repetitions);

}  // namespace laneway::bench
