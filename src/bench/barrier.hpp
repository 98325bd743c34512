// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace laneway::bench {

/// Dissemination barrier over point to point: in round i every process signals the one 2^i further on
/// and waits for the one 2^i before, ceil(log2 p) rounds. Where several nodes have several processes,
/// it is one process of every node that does so; the others of the node come to it, and are let go, along
/// a tree: fewer messages that a process must be given its core for. The library's own
/// barrier would be part of what is measured: some let ranks out one after the other. Source:
/// Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization", 1988.
class Barrier {
public:
    Barrier() = default;

    /// Of the processes of `comm`, which outlives it. Collective.
    explicit Barrier(MPI_Comm comm);

    void operator()() const;

    /// Frees what it made. Collective.
    void free();

private:
    MPI_Comm node_ = MPI_COMM_NULL;   ///< Of the calling process; null where all are alike.
    MPI_Comm among_ = MPI_COMM_NULL;  ///< Those that disseminate; null on others.
};

}  // namespace laneway::bench
