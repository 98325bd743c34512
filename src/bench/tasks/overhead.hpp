// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/job/team.hpp"
#include "bench/options/options.hpp"
#include "bench/text/sink.hpp"

namespace laneway::bench {

/// Measures the cost of a call on its way through the preload. It times 8-byte MPI_Bcast and MPI_Allreduce against
/// their PMPI_ forms in one process, in alternating blocks. Collective over the team.
void measure_overhead(const Team& team, const Options& options, Sink& sink);

}  // namespace laneway::bench
