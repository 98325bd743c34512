// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace laneway::bench {

/// Dissemination barrier over point to point: in round i every rank signals the one 2^i further on
/// and waits for the one 2^i before, ceil(log2 p) rounds. The library's own barrier would be part
/// of what is measured: some let ranks out one after the other. Source: Hensgen, Finkel, Manber,
/// "Two algorithms for barrier synchronization", 1988.
void barrier(MPI_Comm comm);

}  // namespace laneway::bench
