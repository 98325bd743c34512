// SPDX-License-Identifier: BSD-3-Clause
// Collectives that Laneway has no algorithm for: the library serves them, the report counts them.
#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "api/vectors.hpp"
#include "call/begin.hpp"
#include "call/run.hpp"
#include "library/interposed.h"
#include "library/users.hpp"

namespace laneway {

/// The functions, a type each.
namespace of {
#define FUNCTION(function, collective, ...)              \
    struct function {                                    \
        static constexpr const char* name = #collective; \
    };
LANEWAY_NEIGHBORHOOD(LANEWAY_BLOCKING, FUNCTION)
LANEWAY_WITHOUT_ALGORITHM(LANEWAY_NONBLOCKING, FUNCTION)
LANEWAY_WITHOUT_ALGORITHM(LANEWAY_PERSISTENT, FUNCTION)
#undef FUNCTION
}  // namespace of

namespace {

constexpr const char* unserved = "Laneway has no algorithm for it";

/// Calls of `Of` reduce: the reproducible mode says that they are left to the library.
template <class Of>
constexpr bool is_reduction =
    std::string_view(Of::name).find("reduce_scatter") != std::string_view::npos;

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
        const auto native = [&] { return users::run([&] { return library(argument...); }); };
        return enter(Of::name, comm, native, [&] {
            std::optional<std::int64_t> found;  // the library is asked once a call
            const auto own = [&](Member me) {
                if (!found) found = bytes_of(Of{}, Caller{me, comm}, argument...);
                return *found;
            };
            State* const known = state_for(
                comm, [&](Member me) { return own(me) >= 0; }, [](Member) { return false; });
            if (!known) return native();
            State& state = *known;
            state.served_by = "native";
            if (state.waits(false) && own(state.member()) >= 0) state.settled(true, false);
            if constexpr (is_reduction<Of>)
                if (state.is_to_be_reproducible() && (state.is_inter() || own(state.member()) >= 0))
                    say_not_reproducible(state.settings(), comm, state.member().rank, Of::name,
                                         unserved);
            if (!state.reported() && !state.advises()) return native();

            const std::int64_t bytes = state.is_inter() ? -1 : own(state.member());
            Report* const report = state.reported() ? Report::own() : nullptr;
            const auto count = [&](const Times& times) {
                return report ? &report->count(*state.reported(),
                                               {Of::name, bytes, "native", unserved, times})
                              : nullptr;
            };
            if (state.advises() && bytes >= 0) {
                Times times;
                const int code = time(comm, times, native);
                count(times);
                return code;
            }
            Report::Row* const row = count({});
            if (!row || state.advises()) return native();
            const double came = PMPI_Wtime();
            const int code = native();
            report->took(*row, PMPI_Wtime() - came);
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
    static constexpr const char* why = left(Scope::nonblocking);
    static constexpr std::size_t after = 1;
};
struct Persistent {
    static constexpr const char* why = left(Scope::persistent);
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
        const auto native = [&] { return users::run([&] { return library(argument...); }); };
        const bool is_watched = is_reduction<Of> && is_reproducible_asked_for();
        if (!Report::own() && !is_watched) return native();
        return enter(Of::name, comm, native, [&] {
            if (is_watched) say_not_reproducible(comm, Of::name, unserved);
            count_left(comm, Of::name, Kind::why);
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
        LANEWAY_WITHOUT_ALGORITHM(LANEWAY_NONBLOCKING, NONBLOCKING)
            LANEWAY_WITHOUT_ALGORITHM(LANEWAY_PERSISTENT, PERSISTENT)};

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
