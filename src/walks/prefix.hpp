// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/buffer.hpp"
#include "mpi/comm.hpp"
#include "mpi/segments.hpp"

namespace laneway {

/// What lower ranks and, if `inclusive`, the calling one have, reduced, to `result`: a scan or an exclusive scan.
/// In place, the result is the input.
struct Prefix {
    Buffer input, result;
    MPI_Op op;
    bool inclusive;
};

/// From rank to rank, in segments of so many bytes.
void prefix_chain(const Prefix& of, std::int64_t segment, const Comm& comm);

/// Pairs exchange the reduction of their groups, which are twice as large in each round.
void prefix_doubling(const Prefix& of, const Comm& comm);

/// In segments up a tree in order, which brings everyone the reduction of its subtrees, and down, which brings
/// that of all before its subtree.
void prefix_tree(const Prefix& of, std::int64_t segment, const Comm& comm);

}  // namespace laneway
