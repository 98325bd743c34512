// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

namespace laneway::bench {

/// The rank of the calling process, and the number of processes.
int rank_in(MPI_Comm comm);
int size_of(MPI_Comm comm);

/// The largest of all ranks' values, element by element. Collective.
std::vector<double> largest(std::vector<double> values, MPI_Comm comm);

/// Waits for all ranks of `comm`, asleep: cores are free for processes that have something to do.
void rest(MPI_Comm comm);

}  // namespace laneway::bench
