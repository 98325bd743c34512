// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

namespace laneway::bench {

/// A dissemination barrier over point-to-point messages, in ceil(log2 p) rounds. In round i every process signals the
/// one 2^i further on and waits for the one 2^i before. The library's own barrier would be part of what is measured:
/// some libraries let ranks out one after the other. Source: Hensgen, Finkel, Manber, "Two algorithms for barrier
/// synchronization", 1988.
///
/// Processes that take turns on their processors wait longest for their turns, one for each message. There, one
/// process of every node disseminates. The others come to it, and are let go, along a tree of at most three children
/// a level. Source: Mellor-Crummey, Scott, "Algorithms for scalable synchronization on shared-memory
/// multiprocessors", 1991, the tree barrier.
class Barrier {
public:
    Barrier() = default;

    /// A barrier of the processes of `comm`, which outlives it. The barrier takes over `node`, which has the
    /// processes of the calling process's node in the order of `comm`. It is null on all processes where nodes are
    /// not told apart. Collective.
    Barrier(MPI_Comm comm, MPI_Comm node);

    void operator()() const;

    /// Frees the communicators. Collective.
    void free();

private:
    MPI_Comm among_ = MPI_COMM_NULL;  ///< The processes that disseminate; null on others.
    MPI_Comm node_ = MPI_COMM_NULL;
    int parent_ = MPI_PROC_NULL;  ///< A rank in `node_`: the parent in the tree of the node.
    std::vector<int> children_;   ///< Ranks in `node_`: the children in that tree.
};

}  // namespace laneway::bench
