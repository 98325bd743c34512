// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

namespace laneway::bench {

/// Dissemination barrier over point to point: in round i every process signals the one 2^i further on
/// and waits for the one 2^i before, ceil(log2 p) rounds. The library's own barrier would be part
/// of what is measured: some let ranks out one after the other. Source: Hensgen, Finkel, Manber,
/// "Two algorithms for barrier synchronization", 1988.
///
/// Processes that take turns on their processors wait longest for their turns, one a message. There, one
/// process of every node disseminates, and the others come to it, and are let go, along a tree of at
/// most three children a level. Source: Mellor-Crummey, Scott, "Algorithms for scalable
/// synchronization on shared-memory multiprocessors", 1991, the tree barrier.
class Barrier {
public:
    Barrier() = default;

    /// Of the processes of `comm`, which outlives it. `node`, which it takes over, has those of the
    /// calling process's node in the order of `comm`; null on all processes: none are told apart. Collective.
    Barrier(MPI_Comm comm, MPI_Comm node);

    void operator()() const;

    /// Frees the communicators. Collective.
    void free();

private:
    MPI_Comm among_ = MPI_COMM_NULL;  ///< Those that disseminate; null on others.
    MPI_Comm node_ = MPI_COMM_NULL;
    int parent_ = MPI_PROC_NULL;  ///< In the tree of the node,
    std::vector<int> children_;   ///< as these: ranks in `node_`.
};

}  // namespace laneway::bench
