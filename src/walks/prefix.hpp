// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "data/buffer.hpp"
#include "data/segments.hpp"
#include "messages/comm.hpp"

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

/// `radix` processes exchange the reduction of their groups, which are so many times as large in each round. In the last
/// one, what nobody needs does not travel.
void prefix_multiplying(const Prefix& of, int radix, const Comm& comm);

/// A part of the message from everyone to each process, which sends everyone its prefix of that: two rounds of a message to
/// everyone, and 2m bytes. Temporary memory: the message.
void prefix_by_parts(const Prefix& of, const Comm& comm);

/// In segments up a tree in order, which brings everyone the reduction of its subtrees, and down, which brings
/// that of all before its subtree.
void prefix_tree(const Prefix& of, std::int64_t segment, const Comm& comm);

}  // namespace laneway
