// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "data/buffer.hpp"
#include "data/partition.hpp"
#include "messages/comm.hpp"
#include "patterns/phases.hpp"

/// Groups of processes of which each takes over a part. Members are ranks here.
namespace laneway {

/// All of a communicator.
Group everyone(const Comm& comm);

/// Everyone's part of a block straight to the one that it is for, which reduces them in the order of the group.
/// In place, the result is the input's begin, or the caller's part of it.
void reduce_in_group(const Buffer& input, const Buffer& result, const Partition& part, MPI_Op op,
                     const Group& group, const Comm& comm);

/// Everyone's part to all others of the group.
void exchange_in_group(const Buffer& whole, const Partition& part, const Group& group,
                       const Comm& comm);

/// Reduces in phases: in the end, the calling process has its part in `whole`. The order of a group is that of
/// what its members have in common. `part` has one a process, `input` may be `whole`.
void reduce_scatter_in_phases(const Buffer& input, const Buffer& whole, const Partition& part,
                              MPI_Op op, const Phases& phases, const Comm& comm);

/// The other way round: everyone's part to all.
void allgather_in_phases(const Buffer& whole, const Partition& part, const Phases& phases,
                         const Comm& comm);

/// The same to one process alone, whose phases are `root`. What others have in `whole` in the end is of no use.
void gather_in_phases(const Buffer& whole, const Partition& part, const Phases& phases,
                      const Phases& root, const Comm& comm);

/// `count` elements in blocks of which any row is as long as others of its length, but for one element.
Partition evenly(std::int64_t count, int parts);

}  // namespace laneway
