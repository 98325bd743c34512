// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <random>

#include "bench/machine.hpp"
#include "bench/options.hpp"
#include "bench/plan.hpp"
#include "bench/row.hpp"

namespace laneway::bench {

/// What measuring a case needs and leaves its traces in.
struct Session {
    const Options& options;
    const Machine& machine;
    MPI_Comm own;            ///< The benchmark's: barriers and agreement.
    std::mt19937 generator;  ///< In the same state on all ranks.
    Sink sink;
    std::function<void(double)> progress;  ///< Told the share of a case that is done.
    bool wrong = false;                    ///< Some result was not that of the library.
};

/// Verifies and times one case on MPI_COMM_WORLD, writing a row for every repetition. Collective.
void measure(const Case& of, Session& session);

}  // namespace laneway::bench
