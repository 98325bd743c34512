// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "bench/machine.hpp"
#include "bench/options.hpp"
#include "bench/row.hpp"

namespace laneway::bench {

/// What a call costs on its way through the preload: 8-byte MPI_Bcast and MPI_Allreduce against
/// their PMPI_ forms in one process, in alternating blocks. Collective over `comm`.
void measure_overhead(MPI_Comm comm, const Options& options, const Machine& machine, Sink& sink);

}  // namespace laneway::bench
