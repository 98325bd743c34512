// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <tuple>

#include "mpi/buffer.hpp"
#include "mpi/comm.hpp"

/// The collectives, one struct each: the arguments that every algorithm of that collective takes.
/// Data-moving calls come in wire form (mpi/wire.hpp), the same count on all ranks; reductions in
/// the caller's own type and operator.
namespace laneway {

/// MPI_Bcast: `data` from `root` to all.
struct Bcast {
    static constexpr const char* name = "bcast";
    Buffer data;
    int root;
};

/// MPI_Allreduce: everyone's `input`, reduced, to everyone's `result`. In place: both are the same
/// buffer, so an algorithm must have read what it needs before it writes.
struct Allreduce {
    static constexpr const char* name = "allreduce";
    Buffer input;
    Buffer result;
    MPI_Op op;
};

/// MPI_Allgather: everyone's block `mine` to everyone's `result`, the row of blocks in rank order. In
/// place: the caller's block stands at its place in the result already.
struct Allgather {
    static constexpr const char* name = "allgather";
    Buffer mine;
    Buffer result;
};

/// All collectives; what walks the registry walks this list.
using Calls = std::tuple<Bcast, Allreduce, Allgather>;

/// @name What an algorithm may require of a call (see Requires)
/// @{
struct Facts {
    std::int64_t count;          ///< elements of the message, or of a block of it
    bool order_matters = false;  ///< the operator is not commutative
};
Facts facts_of(const Bcast& call, const Comm& comm);
Facts facts_of(const Allreduce& call, const Comm& comm);
Facts facts_of(const Allgather& call, const Comm& comm);
/// @}

/// @name The MPI library's own algorithm
/// @{
void native(const Bcast& call, const Comm& comm);
void native(const Allreduce& call, const Comm& comm);
void native(const Allgather& call, const Comm& comm);
/// @}

}  // namespace laneway
