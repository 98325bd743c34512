// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "data/buffer.hpp"
#include "data/segments.hpp"
#include "messages/comm.hpp"

namespace laneway {

/// A scan or an exclusive scan: the operands of lower ranks and, if `inclusive`, of the calling one are reduced to
/// `result`. In place, the result is the input.
struct Prefix {
    Buffer input, result;
    MPI_Op op;
    bool inclusive;
};

/// The scan goes from rank to rank, in segments of so many bytes.
void prefix_chain(const Prefix& of, std::int64_t segment, const Comm& comm);

/// `radix` processes exchange the reduction of their groups, which are so many times as large in each round. In the
/// last round, reductions that nobody needs do not travel.
void prefix_multiplying(const Prefix& of, int radix, const Comm& comm);

/// Everyone sends a part of the message to each process, which sends everyone its prefix of that part. This takes two
/// rounds of a message to everyone, and 2m bytes. Temporary memory: the message.
void prefix_by_parts(const Prefix& of, const Comm& comm);

/// Segments go up a tree in order, which brings everyone the reduction of its subtrees. They go down, which brings
/// everyone the reduction of all ranks before its subtree.
void prefix_tree(const Prefix& of, std::int64_t segment, const Comm& comm);

/// Half of the message by each of two such trees. The leaves of one are within the other, so that everyone has as much
/// to send and to combine as everyone else.
void prefix_two_trees(const Prefix& of, std::int64_t segment, const Comm& comm);

}  // namespace laneway
