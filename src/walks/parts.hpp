// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "data/buffer.hpp"
#include "data/partition.hpp"
#include "messages/comm.hpp"
#include "patterns/phases.hpp"

/// Groups of processes of which each takes over a part. Members are ranks here.
namespace laneway {

/// The group of all processes of a communicator.
Group everyone(const Comm& comm);

/// Sends everyone's part of a block straight to the process that it is for, which reduces the parts in the order of the
/// group. In place, the result is the input's begin, or the caller's part of it.
void reduce_in_group(const Buffer& input, const Buffer& result, const Partition& part, MPI_Op op,
                     const Group& group, const Comm& comm);

/// Sends everyone's part to all others of the group.
void exchange_in_group(const Buffer& whole, const Partition& part, const Group& group,
                       const Comm& comm);

/// Reduces in phases: in the end, the calling process has its part in `whole`. The order of a group is that of
/// the data that its members have in common. `part` has one block a process; `input` may be `whole`.
void reduce_scatter_in_phases(const Buffer& input, const Buffer& whole, const Partition& part,
                              MPI_Op op, const Phases& phases, const Comm& comm);

/// Goes through the phases the other way round: brings everyone's part to all.
void allgather_in_phases(const Buffer& whole, const Partition& part, const Phases& phases,
                         const Comm& comm);

/// Brings everyone's part to one process alone, whose phases are `root`. The data in `whole` on others are of no use in
/// the end.
void gather_in_phases(const Buffer& whole, const Partition& part, const Phases& phases,
                      const Phases& root, const Comm& comm);

/// `count` elements in blocks. Rows of as many blocks are of one length, but for one element.
Partition evenly(std::int64_t count, int parts);

}  // namespace laneway
