// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/calls.hpp"
#include "messages/comm.hpp"

/// Who serves a collective on a private communicator where no algorithm of the registry does. This page has two
/// providers, described.hpp the third, and plain.hpp says which of them serves when.
namespace laneway {

/// Our own collectives, over messages. They serve where the MPI library's collectives cannot, in what is recorded.
/// Two buffers at one address mean MPI_IN_PLACE, and buffers may differ in type where their signatures are equal. All
/// reductions are combined in rank order, so any operator may come.
///
/// Alone, they need few rounds: in each, a process tells `radix` - 1 others. There may be several children under way
/// at once, whose messages fill the lanes meanwhile. In these, they send as few bytes as they can: chains, rings, a
/// part of the message to each. (They do the same where the recorder is asked for that.)
namespace ours {

/// A message more costs an overhead, a round more a latency, which is as long as three or four overheads. Four
/// processes need one round then, and sixteen two.
inline constexpr int radix = 4;

/// Whether few bytes matter more than few rounds.
bool saves_bytes();

void serve(const Bcast& call, const Comm& comm);
void serve(const Scatter& call, const Comm& comm);
void serve(const Gather& call, const Comm& comm);
void serve(const Allgather& call, const Comm& comm);
void serve(const Alltoall& call, const Comm& comm);
void serve(const Reduce& call, const Comm& comm);
void serve(const Allreduce& call, const Comm& comm);
void serve(const ReduceScatterBlock& call, const Comm& comm);
void serve(const Scan& call, const Comm& comm);
void serve(const Exscan& call, const Comm& comm);
void serve(const Barrier& call, const Comm& comm);
void serve(const Scatterv& call, const Comm& comm);
void serve(const Gatherv& call, const Comm& comm);
void serve(const Allgatherv& call, const Comm& comm);
void serve(const Alltoallv& call, const Comm& comm);
void serve(const ReduceScatter& call, const Comm& comm);

}  // namespace ours

/// The MPI library's own collectives. Two buffers at one address mean MPI_IN_PLACE. They throw Error.
namespace native {

void serve(const Bcast& call, const Comm& comm);
void serve(const Scatter& call, const Comm& comm);
void serve(const Gather& call, const Comm& comm);
void serve(const Allgather& call, const Comm& comm);
void serve(const Alltoall& call, const Comm& comm);
void serve(const Reduce& call, const Comm& comm);
void serve(const Allreduce& call, const Comm& comm);
void serve(const ReduceScatterBlock& call, const Comm& comm);
void serve(const Scan& call, const Comm& comm);
void serve(const Exscan& call, const Comm& comm);
void serve(const Barrier& call, const Comm& comm);
void serve(const Scatterv& call, const Comm& comm);
void serve(const Gatherv& call, const Comm& comm);
void serve(const Allgatherv& call, const Comm& comm);
void serve(const Alltoallv& call, const Comm& comm);
void serve(const ReduceScatter& call, const Comm& comm);

}  // namespace native
}  // namespace laneway
