// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <map>
#include <vector>

#include "bench/job/barrier.hpp"
#include "bench/job/machine.hpp"

namespace laneway::bench {

/// The ranks that take part in a case, the first ones of MPI_COMM_WORLD; on others all members are null.
struct Team {
    MPI_Comm world = MPI_COMM_NULL;     ///< The communicator that the operations are called on.
    std::vector<MPI_Comm> others = {};  ///< The communicators that the other threads call them on.
    MPI_Comm own = MPI_COMM_NULL;       ///< The benchmark's own communicator, for agreement.
    Barrier barrier = {};               ///< The barrier, for starting together.
    Machine machine = {};
};

/// The teams of a run, made when they are first wanted.
class Teams {
public:
    /// Teams for so many threads a rank. Collective over MPI_COMM_WORLD, as everything here.
    explicit Teams(int threads);
    Teams(const Teams&) = delete;
    Teams& operator=(const Teams&) = delete;

    /// The team of the first `size` ranks, and that of all ranks.
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
