// SPDX-License-Identifier: BSD-3-Clause
// Collectives that Laneway has no algorithm for: the library serves them, the report counts them.
#include <mpi.h>

#include <cstring>
#include <tuple>

#include "core/run.hpp"
#include "mpi/interposed.h"

namespace laneway {
namespace {

/// The functions, a type each.
namespace of {
#define FUNCTION(function, collective, ...)              \
    struct function {                                    \
        static constexpr const char* name = #collective; \
        using Type = decltype(PMPI_##function);          \
    };
LANEWAY_VECTOR(FUNCTION)
LANEWAY_NONBLOCKING(FUNCTION)
LANEWAY_NEIGHBORHOOD(FUNCTION)
#undef FUNCTION

/// The large-count forms, which the mpi.h of this build may lack.
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

std::int64_t bytes(MPI_Count count, MPI_Datatype type)
{
    if (count <= 0) return count < 0 ? -1 : 0;
    return type != MPI_DATATYPE_NULL ? count * size_of(type) : -1;
}

/// Of a row of blocks; `type_of(i)` is the type of block i.
template <class TypeOf>
std::int64_t bytes_of_row(const auto* counts, int blocks, const TypeOf& type_of)
{
    if (!counts) return -1;
    std::int64_t sum = 0;
    for (int i = 0; i < blocks; ++i) {
        const std::int64_t block = bytes(counts[i], type_of(i));
        if (block < 0) return -1;
        sum += block;
    }
    return sum;
}

/// The caller's own block: as it stands alone or, in place, in the row of all blocks.
std::int64_t own(Member me, const void* address, MPI_Count count, MPI_Datatype type,
                 const auto* counts, MPI_Datatype type_of_row)
{
    if (address != MPI_IN_PLACE) return bytes(count, type);
    return counts ? bytes(counts[me.rank], type_of_row) : -1;
}

/// The same where only the root has a row, and may be in place. (MPICH lets others pass that have no data.)
std::int64_t own_of(int root, Member me, const void* address, MPI_Count count, MPI_Datatype type,
                    const auto* counts, MPI_Datatype type_of_row)
{
    if (!me.knows(root)) return -1;
    if (me.rank == root) return own(me, address, count, type, counts, type_of_row);
    return address == MPI_IN_PLACE && count > 0 ? -1 : bytes(count, type);
}

std::int64_t bytes_of(of::Gatherv, Member me, const void* mine, auto count, MPI_Datatype type,
                      void*, const auto* counts, const auto*, MPI_Datatype type_of_row, int root,
                      MPI_Comm)
{
    return own_of(root, me, mine, count, type, counts, type_of_row);
}

std::int64_t bytes_of(of::Scatterv, Member me, const void*, const auto* counts, const auto*,
                      MPI_Datatype type_of_row, void* mine, auto count, MPI_Datatype type, int root,
                      MPI_Comm)
{
    return own_of(root, me, mine, count, type, counts, type_of_row);
}

std::int64_t bytes_of(of::Allgatherv, Member me, const void* mine, auto count, MPI_Datatype type,
                      void*, const auto* counts, const auto*, MPI_Datatype type_of_row, MPI_Comm)
{
    return own(me, mine, count, type, counts, type_of_row);
}

/// The mean block, as all blocks of an alltoall are.
std::int64_t bytes_of(of::Alltoallv, Member me, const void* input, const auto* sent, const auto*,
                      MPI_Datatype type_sent, void*, const auto* received, const auto*,
                      MPI_Datatype type_received, MPI_Comm)
{
    const bool in_place = input == MPI_IN_PLACE;
    const std::int64_t sum = bytes_of_row(in_place ? received : sent, me.size, [&](int) {
        return in_place ? type_received : type_sent;
    });
    return sum < 0 ? -1 : sum / me.size;
}

std::int64_t bytes_of(of::Alltoallw, Member me, const void* input, const auto* sent, const auto*,
                      const MPI_Datatype* types_sent, void*, const auto* received, const auto*,
                      const MPI_Datatype* types_received, MPI_Comm)
{
    const bool in_place = input == MPI_IN_PLACE;
    const MPI_Datatype* const types = in_place ? types_received : types_sent;
    if (!types) return -1;
    const std::int64_t sum =
        bytes_of_row(in_place ? received : sent, me.size, [&](int i) { return types[i]; });
    return sum < 0 ? -1 : sum / me.size;
}

/// The whole input.
std::int64_t bytes_of(of::Reduce_scatter, Member me, const void*, void*, const auto* counts,
                      MPI_Datatype type, MPI_Op op, MPI_Comm)
{
    if (op == MPI_OP_NULL) return -1;
    return bytes_of_row(counts, me.size, [&](int) { return type; });
}

// ---- the calls -----------------------------------------------------------------------------------

using Function = void();

/// Calls of `Of`, an `int(Argument...)`. The library's own function is `library`.
template <class Of, class Type = Of::Type>
class Counted;

template <class Of, class... Argument>
class Counted<Of, int(Argument...)> {
public:
    static inline int (*library)(Argument...) = nullptr;

    /// Its processes agree, so that the report tells communicators apart, and meet for the advice. Also
    /// where this one wants neither: it cannot know that all others don't.
    static int vector(Argument... argument)
    {
        const MPI_Comm comm = std::get<sizeof...(Argument) - 1>(std::tie(argument...));
        const auto native = [&] { return library(argument...); };
        return enter(Of::name, comm, native, [&] {
            const auto own = [&](Member me) { return bytes_of(Of{}, me, argument...); };
            State* const state = state_for(comm, [&](Member me) { return own(me) >= 0; });
            if (!state) return native();
            state->served_by = "native";
            if (!state->place() && !state->advises()) return native();

            const std::int64_t bytes = state->is_inter() ? -1 : own(state->member());
            const auto count = [&](const Times& times) {
                if (!state->place()) return;
                Report::own()->count(*state->place(), {Of::name, bytes, "native",
                                                       "Laneway has no algorithm for it", times});
            };
            if (!state->advises() || bytes < 0) {
                count({});
                return native();
            }
            Times times;
            const int code = time(comm, times, native);
            count(times);
            return code;
        });
    }

    static int nonblocking(Argument... argument)
    {
        constexpr std::size_t place = sizeof...(Argument) - 2;  // the last one is the request
        return locally(std::get<place>(std::tie(argument...)), "nonblocking: left to the library",
                       argument...);
    }

    static int neighborhood(Argument... argument)
    {
        constexpr std::size_t place = sizeof...(Argument) - 1;
        return locally(std::get<place>(std::tie(argument...)), "of neighbours: left to the library",
                       argument...);
    }

private:
    /// Counted without a message: the others may come any time later.
    static int locally(MPI_Comm comm, const char* why, Argument... argument)
    {
        const auto native = [&] { return library(argument...); };
        Report* const report = Report::own();
        if (!report) return native();
        return enter(Of::name, comm, native, [&] {
            report->count(place_of(comm), {Of::name, -1, "native", why});
            return native();
        });
    }
};

template <class Of, auto call>
Function* take(Function* library)
{
    Counted<Of>::library = reinterpret_cast<decltype(Counted<Of>::library)>(library);
    return reinterpret_cast<Function*>(call);
}

struct Entry {
    const char* mpi;
    Function* (*take)(Function* library);
};

constexpr Entry entries[] = {
#define ENTRY(kind, function) {"MPI_" #function, take<of::function, &Counted<of::function>::kind>}
#define VECTOR(function, ...) ENTRY(vector, function), ENTRY(vector, function##_c),
#define NONBLOCKING(function, ...) ENTRY(nonblocking, function),
#define NEIGHBORHOOD(function, ...) ENTRY(neighborhood, function),
    LANEWAY_VECTOR(VECTOR) LANEWAY_NONBLOCKING(NONBLOCKING) LANEWAY_NEIGHBORHOOD(NEIGHBORHOOD)};

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
