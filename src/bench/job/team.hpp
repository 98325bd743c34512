// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <map>
#include <vector>

#include "bench/job/barrier.hpp"
#include "bench/job/machine.hpp"

namespace laneway::bench {

/// The ranks that take part in a case, the first ones of MPI_COMM_WORLD; on others all is null.
struct Team {
    MPI_Comm world = MPI_COMM_NULL;     ///< What the operations are called on,
    std::vector<MPI_Comm> others = {};  ///< and on which by the other threads.
    MPI_Comm own = MPI_COMM_NULL;       ///< The benchmark's: agreement,
    Barrier barrier = {};               ///< and starting together.
    Machine machine = {};
};

/// The teams of a run, made when they are first wanted.
class Teams {
public:
    /// For so many threads a rank. Collective over MPI_COMM_WORLD, as everything here.
    explicit Teams(int threads);
    Teams(const Teams&) = delete;
    Teams& operator=(const Teams&) = delete;

    /// The first `size` ranks, and all of them.
    const Team& of(int size);
    const Team& everyone() const { return everyone_; }

    /// Frees the communicators, before MPI_Finalize.
    void free();

private:
    Team everyone_;
    std::map<int, Team> smaller_;
    int threads_;
};

}  // namespace laneway::bench
