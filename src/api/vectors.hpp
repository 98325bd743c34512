// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "call/front/member.hpp"
#include "call/sound/rejected.hpp"
#include "library/interposed.h"

/// Vector collectives, which Laneway has no algorithm for: their calls, and the bytes of one.
namespace laneway {

/// The functions, a type each.
namespace of {
#define VECTOR(function, collective, ...)                \
    struct function {                                    \
        static constexpr const char* name = #collective; \
        using Type = decltype(PMPI_##function);          \
    };
LANEWAY_VECTOR(LANEWAY_BLOCKING, VECTOR)
#undef VECTOR

/// Their large-count forms, which the mpi.h of this build may lack.
struct Gatherv_c : Gatherv {
    using Type = int(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*,
                     MPI_Datatype, int, MPI_Comm);
};
struct Scatterv_c : Scatterv {
    using Type = int(const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, MPI_Count,
                     MPI_Datatype, int, MPI_Comm);
};
struct Allgatherv_c : Allgatherv {
    using Type = int(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*,
                     MPI_Datatype, MPI_Comm);
};
struct Alltoallv_c : Alltoallv {
    using Type = int(const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*,
                     const MPI_Count*, const MPI_Aint*, MPI_Datatype, MPI_Comm);
};
struct Alltoallw_c : Alltoallw {
    using Type = int(const void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, void*,
                     const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, MPI_Comm);
};
struct Reduce_scatter_c : Reduce_scatter {
    using Type = int(const void*, void*, const MPI_Count*, MPI_Datatype, MPI_Op, MPI_Comm);
};
}  // namespace of

// ---- bytes_of(call, caller, arguments...): the bytes of a call, as the calling process knows them ----
// -1: an argument of its own that the library rejects. What it lets pass must not be here: the process
// would go on alone where the others agree.

/// The calling process in its communicator.
struct Caller : Member {
    MPI_Comm comm;
};

inline std::int64_t bytes(const Caller& me, MPI_Count count, MPI_Datatype type)
{
    if (count <= 0) return count < 0 ? -1 : 0;
    if (type == MPI_DATATYPE_NULL || !is_type(type, me.comm)) return -1;
    return count * size_of(type);
}

/// Of a row of blocks; `type_of(i)` is the type of block i.
template <class TypeOf>
std::int64_t bytes_of_row(const Caller& me, const auto* counts, int blocks, const TypeOf& type_of)
{
    if (!counts) return -1;
    std::int64_t sum = 0;
    for (int i = 0; i < blocks; ++i) {
        const std::int64_t block = bytes(me, counts[i], type_of(i));
        if (block < 0) return -1;
        sum += block;
    }
    return sum;
}

/// The caller's own block: as it stands alone or, in place, in the row of all blocks.
std::int64_t own_bytes(const Caller& me, const void* address, MPI_Count count, MPI_Datatype type,
                       const auto* counts, MPI_Datatype type_of_row)
{
    if (address != MPI_IN_PLACE) return bytes(me, count, type);
    return counts ? bytes(me, counts[me.rank], type_of_row) : -1;
}

/// The same where only the root has a row, and may be in place. (MPICH lets others pass that have no data.)
std::int64_t own_of(int root, const Caller& me, const void* address, MPI_Count count,
                    MPI_Datatype type, const auto* counts, MPI_Datatype type_of_row)
{
    if (!me.knows(root)) return -1;
    if (me.rank == root) return own_bytes(me, address, count, type, counts, type_of_row);
    return address == MPI_IN_PLACE && count > 0 ? -1 : bytes(me, count, type);
}

std::int64_t bytes_of(of::Gatherv, const Caller& me, const void* mine, auto count,
                      MPI_Datatype type, void*, const auto* counts, const auto*,
                      MPI_Datatype type_of_row, int root, MPI_Comm)
{
    return own_of(root, me, mine, count, type, counts, type_of_row);
}

std::int64_t bytes_of(of::Scatterv, const Caller& me, const void*, const auto* counts, const auto*,
                      MPI_Datatype type_of_row, void* mine, auto count, MPI_Datatype type, int root,
                      MPI_Comm)
{
    return own_of(root, me, mine, count, type, counts, type_of_row);
}

std::int64_t bytes_of(of::Allgatherv, const Caller& me, const void* mine, auto count,
                      MPI_Datatype type, void*, const auto* counts, const auto*,
                      MPI_Datatype type_of_row, MPI_Comm)
{
    return own_bytes(me, mine, count, type, counts, type_of_row);
}

/// The mean block, as all blocks of an alltoall are.
std::int64_t bytes_of(of::Alltoallv, const Caller& me, const void* input, const auto* sent,
                      const auto*, MPI_Datatype type_sent, void*, const auto* received, const auto*,
                      MPI_Datatype type_received, MPI_Comm)
{
    const bool in_place = input == MPI_IN_PLACE;
    const std::int64_t sum = bytes_of_row(me, in_place ? received : sent, me.size, [&](int) {
        return in_place ? type_received : type_sent;
    });
    return sum < 0 ? -1 : sum / me.size;
}

std::int64_t bytes_of(of::Alltoallw, const Caller& me, const void* input, const auto* sent,
                      const auto*, const MPI_Datatype* types_sent, void*, const auto* received,
                      const auto*, const MPI_Datatype* types_received, MPI_Comm)
{
    const bool in_place = input == MPI_IN_PLACE;
    const MPI_Datatype* const types = in_place ? types_received : types_sent;
    if (!types) return -1;
    const std::int64_t sum =
        bytes_of_row(me, in_place ? received : sent, me.size, [&](int i) { return types[i]; });
    return sum < 0 ? -1 : sum / me.size;
}

/// The whole input.
std::int64_t bytes_of(of::Reduce_scatter, const Caller& me, const void*, void*, const auto* counts,
                      MPI_Datatype type, MPI_Op op, MPI_Comm)
{
    if (op == MPI_OP_NULL || !fits(op, type, me.comm)) return -1;
    return bytes_of_row(me, counts, me.size, [&](int) { return type; });
}

}  // namespace laneway
