// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <tuple>
#include <type_traits>

#include "mpi/buffer.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/pmpi.hpp"

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

/// MPI_Scatter: block r of `whole`, on the root, to `mine` on rank r. (In place at the root: `mine` is
/// memory that nobody reads.) Elsewhere `whole` has the count of the whole and no data.
struct Scatter {
    static constexpr const char* name = "scatter";
    Buffer whole;
    Buffer mine;
    int root;
};

/// MPI_Gather: everyone's `mine` to `whole`, the row of blocks in rank order, on the root. In place at
/// the root: its block stands at its place already. Elsewhere `whole` has the count of the whole and
/// no data.
struct Gather {
    static constexpr const char* name = "gather";
    Buffer mine;
    Buffer whole;
    int root;
};

/// MPI_Alltoall: block r of everyone's `input` to rank r, where blocks stand in rank order in
/// `result`. In place: both are the same buffer.
struct Alltoall {
    static constexpr const char* name = "alltoall";
    Buffer input;
    Buffer result;
};

/// MPI_Reduce: everyone's `input`, reduced, to `result` on the root (elsewhere it has no data). In
/// place at the root: both are the same buffer.
struct Reduce {
    static constexpr const char* name = "reduce";
    Buffer input;
    Buffer result;
    MPI_Op op;
    int root;
};

/// MPI_Reduce_scatter_block: block r of the reduction of everyone's `input` to `result` on rank r. In
/// place: the result goes to the start of the input.
struct ReduceScatterBlock {
    static constexpr const char* name = "reduce_scatter_block";
    Buffer input;
    Buffer result;
    MPI_Op op;
};

/// MPI_Scan: the reduction of the inputs of ranks 0 to r to `result` on rank r. In place: both are the
/// same buffer.
struct Scan {
    static constexpr const char* name = "scan";
    Buffer input;
    Buffer result;
    MPI_Op op;
};

/// MPI_Exscan: the reduction of the inputs of ranks 0 to r - 1 to `result` on rank r; on rank 0 the
/// result is not written. In place: both are the same buffer.
struct Exscan {
    static constexpr const char* name = "exscan";
    Buffer input;
    Buffer result;
    MPI_Op op;
};

/// MPI_Barrier.
struct Barrier {
    static constexpr const char* name = "barrier";
};

/// All collectives; what walks the registry walks this list.
using Calls = std::tuple<Bcast, Scatter, Gather, Allgather, Alltoall, Reduce, Allreduce,
                         ReduceScatterBlock, Scan, Exscan, Barrier>;

/// Collectives that apply an operator to the user's data.
template <class Call>
constexpr bool reduces = requires(const Call& call) { call.op; };

/// Collectives in which no process is done before all have come, unless they have no elements: those
/// where the count, which all processes pass alike, says so.
template <class Call>
constexpr bool all_meet = std::is_same_v<Call, Barrier> || std::is_same_v<Call, Allreduce> ||
                          std::is_same_v<Call, ReduceScatterBlock>;

/// `body(std::type_identity<Call>{})` for every collective.
template <class Body>
void for_each_call(const Body& body)
{
    [&]<class... Call>(std::tuple<Call...>*) {
        (body(std::type_identity<Call>{}), ...);
    }(static_cast<Calls*>(nullptr));
}

template <template <class> class Of, class Tuple>
struct OneForEach;
template <template <class> class Of, class... Call>
struct OneForEach<Of, std::tuple<Call...>> {
    using type = std::tuple<Of<Call>...>;
};
/// An `Of<Call>` for every collective; taken by std::get<Of<Call>>.
template <template <class> class Of>
using PerCall = OneForEach<Of, Calls>::type;

/// @name What an algorithm may require of a call (see Requires)
/// @{
struct Facts {
    std::int64_t count;  ///< elements of the message, or of a block of it; 1 for a barrier
    /// Of the message; of one block, where there is a block a rank. -1: not known on all ranks.
    std::int64_t bytes = -1;
    bool order_matters = false;  ///< the operator is not commutative
    bool whole = false;          ///< the operator is the user's: it must see whole messages
};
Facts facts_of(const Bcast& call, const Comm& comm);
Facts facts_of(const Scatter& call, const Comm& comm);
Facts facts_of(const Gather& call, const Comm& comm);
Facts facts_of(const Allgather& call, const Comm& comm);
Facts facts_of(const Alltoall& call, const Comm& comm);
Facts facts_of(const Barrier& call, const Comm& comm);
template <class Reduction>
Facts facts_of(const Reduction& call, const Comm& comm)
{
    // Only the root of a reduction must have a result.
    const bool blocks = std::is_same_v<Reduction, ReduceScatterBlock>;
    return {.count = call.input.count,
            .bytes = (blocks ? call.result : call.input).count * size_of(call.input.type),
            .order_matters = !pmpi::is_commutative(call.op),
            .whole = comm.keeps_whole(call.op)};
}
/// @}

/// @name Served by what nobody has chosen (own/plain.hpp): the library's own algorithm, or, where it is short and in what
/// is recorded, ours. So it is where an operator must see whole messages: libraries may divide them.
/// @{
enum class By { length, library };
void by_default(const Bcast& call, const Comm& comm, By by = By::length);
void by_default(const Scatter& call, const Comm& comm, By by = By::length);
void by_default(const Gather& call, const Comm& comm, By by = By::length);
void by_default(const Allgather& call, const Comm& comm, By by = By::length);
void by_default(const Alltoall& call, const Comm& comm, By by = By::length);
void by_default(const Reduce& call, const Comm& comm, By by = By::length);
void by_default(const Allreduce& call, const Comm& comm, By by = By::length);
void by_default(const ReduceScatterBlock& call, const Comm& comm, By by = By::length);
void by_default(const Scan& call, const Comm& comm, By by = By::length);
void by_default(const Exscan& call, const Comm& comm, By by = By::length);
void by_default(const Barrier& call, const Comm& comm, By by = By::length);
/// @}

}  // namespace laneway
