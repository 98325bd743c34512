// SPDX-License-Identifier: BSD-3-Clause
// Collectives that Laneway has no algorithm for: the library serves them, the report counts them.
#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/run.hpp"
#include "mpi/interposed.h"

namespace laneway {
namespace {

/// The functions, a type each.
namespace of {
#define FUNCTION(function, collective, ...)              \
    struct function {                                    \
        static constexpr const char* name = #collective; \
    };
LANEWAY_NEIGHBORHOOD(LANEWAY_BLOCKING, FUNCTION)
LANEWAY_WITH_COUNTS(LANEWAY_NONBLOCKING, FUNCTION)
LANEWAY_WITH_COUNTS(LANEWAY_PERSISTENT, FUNCTION)
LANEWAY_BARRIER(LANEWAY_NONBLOCKING, FUNCTION)
LANEWAY_BARRIER(LANEWAY_PERSISTENT, FUNCTION)
#undef FUNCTION

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

// ---- bytes of vector collectives, as the calling process knows them -----------------------------
// -1: an argument of its own that every library rejects. What one of them lets pass must not be here:
// the process would go on alone where the others agree.

/// The calling process, and whether the bytes are wanted or only whether there is such an argument.
struct Caller : Member {
    MPI_Comm comm;
    bool counts;
};

std::int64_t bytes(const Caller& me, MPI_Count count, MPI_Datatype type)
{
    if (count <= 0) return count < 0 ? -1 : 0;
    if (type == MPI_DATATYPE_NULL) return -1;
    return me.counts && is_type(type, me.comm) ? count * size_of(type) : 0;
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
std::int64_t own(const Caller& me, const void* address, MPI_Count count, MPI_Datatype type,
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
    if (me.rank == root) return own(me, address, count, type, counts, type_of_row);
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
    return own(me, mine, count, type, counts, type_of_row);
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
    if (op == MPI_OP_NULL) return -1;
    return bytes_of_row(me, counts, me.size, [&](int) { return type; });
}

// ---- the calls -----------------------------------------------------------------------------------

using Function = void();

/// Calls of a vector collective `Of`, an `int(Argument...)`. The library's own function is `library`.
template <class Of, class Type = Of::Type>
class Vector;

template <class Of, class... Argument>
class Vector<Of, int(Argument...)> {
public:
    static inline int (*library)(Argument...) = nullptr;

    /// Its processes agree, so that the report tells communicators apart, and meet for the advice. Also
    /// where this one wants neither: it cannot know that all others don't.
    static int call(Argument... argument)
    {
        const MPI_Comm comm = std::get<sizeof...(Argument) - 1>(std::tie(argument...));
        const auto native = [&] { return library(argument...); };
        return enter(Of::name, comm, native, [&] {
            const auto own = [&](Member me, bool counts) {
                return bytes_of(Of{}, Caller{me, comm, counts}, argument...);
            };
            State* const known = state_for(comm, [&](Member me) { return own(me, false) >= 0; });
            if (!known) return native();
            State& state = *known;
            state.served_by = "native";
            if (state.waits() && own(state.member(), false) >= 0) state.settled(false);
            if (!state.place() && !state.advises()) return native();

            const std::int64_t bytes = state.is_inter() ? -1 : own(state.member(), true);
            const auto count = [&](const Times& times) {
                Report* const report = state.place() ? Report::own() : nullptr;
                if (!report) return;
                report->count(*state.place(), {Of::name, bytes, "native",
                                               "Laneway has no algorithm for it", times});
            };
            if (!state.advises() || bytes < 0) {
                count({});
                return native();
            }
            Times times;
            const int code = time(comm, times, native);
            count(times);
            return code;
        });
    }
};

/// Why others are left to the library, and how many arguments they have after the communicator.
struct OfNeighbors {
    static constexpr const char* why = "of neighbours: left to the library";
    static constexpr std::size_t after = 0;
};
struct Nonblocking {
    static constexpr const char* why = "nonblocking: left to the library";
    static constexpr std::size_t after = 1;
};
struct Persistent {
    static constexpr const char* why = "persistent: left to the library, however often it starts";
    static constexpr std::size_t after = 2;
};

/// An argument as the preload passes it on: of a function that the mpi.h of this build may lack.
template <std::size_t>
using Word = std::intptr_t;

template <class Handle = MPI_Comm>
Handle communicator(std::intptr_t word)
{
    if constexpr (std::is_pointer_v<Handle>)
        return reinterpret_cast<Handle>(word);
    else
        return static_cast<Handle>(word);
}

/// Calls of any other function, with large counts or not. Counted without a message: the others may come
/// any time later.
template <class Of, class Kind, bool large, class Arguments>
class Local;

template <class Of, class Kind, bool large, std::size_t... i>
class Local<Of, Kind, large, std::index_sequence<i...>> {
public:
    static inline int (*library)(Word<i>...) = nullptr;

    static int call(Word<i>... argument)
    {
        constexpr std::size_t place = sizeof...(i) - 1 - Kind::after;
        const MPI_Comm comm = communicator(std::get<place>(std::tie(argument...)));
        const auto native = [&] { return library(argument...); };
        Report* const report = Report::own();
        if (!report) return native();
        return enter(Of::name, comm, native, [&] {
            report->count(place_of(comm), {Of::name, -1, "native", Kind::why});
            return native();
        });
    }
};

template <class Calls>
Function* take(Function* library)
{
    Calls::library = reinterpret_cast<decltype(Calls::library)>(library);
    return reinterpret_cast<Function*>(&Calls::call);
}

struct Entry {
    const char* mpi;
    Function* (*take)(Function* library);
};

constexpr Entry entries[] = {
#define VECTOR(function, ...)                       \
    {"MPI_" #function, take<Vector<of::function>>}, \
        {"MPI_" #function "_c", take<Vector<of::function##_c>>},
#define LOCAL(Kind, function, arguments)                                             \
    {"MPI_" #function,                                                               \
     take<Local<of::function, Kind, false, std::make_index_sequence<(arguments)>>>}, \
        {"MPI_" #function "_c",                                                      \
         take<Local<of::function, Kind, true, std::make_index_sequence<(arguments)>>>},
#define OF_NEIGHBORS(function, name, arguments, ...) LOCAL(OfNeighbors, function, arguments)
#define NONBLOCKING(function, name, arguments, ...) LOCAL(Nonblocking, function, arguments)
#define PERSISTENT(function, name, arguments, ...) LOCAL(Persistent, function, arguments)
    LANEWAY_VECTOR(LANEWAY_BLOCKING, VECTOR) LANEWAY_NEIGHBORHOOD(LANEWAY_BLOCKING, OF_NEIGHBORS)
        LANEWAY_WITH_COUNTS(LANEWAY_NONBLOCKING, NONBLOCKING) LANEWAY_BARRIER(
            LANEWAY_NONBLOCKING, NONBLOCKING) LANEWAY_WITH_COUNTS(LANEWAY_PERSISTENT, PERSISTENT)
            LANEWAY_BARRIER(LANEWAY_PERSISTENT, PERSISTENT)};

}  // namespace

/// For the preload: what counts calls of the MPI function of that name and hands them to the library's
/// own; null for any other function.
extern "C" __attribute__((visibility("default"))) Function* laneway_counting(const char* mpi,
                                                                             Function* library)
{
    for (const Entry& entry : entries)
        if (std::strcmp(entry.mpi, mpi) == 0) return entry.take(library);
    return nullptr;
}

}  // namespace laneway
