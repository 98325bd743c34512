// SPDX-License-Identifier: BSD-3-Clause
// Collectives of neighbours that Laneway has no algorithm for: the library serves them, the report counts them.
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "call/begin.hpp"
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
LANEWAY_NEIGHBORHOOD(LANEWAY_NONBLOCKING, FUNCTION)
LANEWAY_NEIGHBORHOOD(LANEWAY_PERSISTENT, FUNCTION)
#undef FUNCTION
}  // namespace of

namespace {

using Function = void();

/// Why calls are left to the library, and how many arguments they have after the communicator.
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

/// An argument as the preload passes it on, of a function that the mpi.h of this build may lack.
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

/// Calls of a function, with large counts or not. They are counted without a message: the other processes
/// may come any time later.
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
        if (!Report::own()) return native();
        return enter(Of::name, comm, native, [&] {
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
#define LOCAL(Kind, function, arguments)                                             \
    {"MPI_" #function,                                                               \
     take<Local<of::function, Kind, false, std::make_index_sequence<(arguments)>>>}, \
        {"MPI_" #function "_c",                                                      \
         take<Local<of::function, Kind, true, std::make_index_sequence<(arguments)>>>},
#define OF_NEIGHBORS(function, name, arguments, ...) LOCAL(OfNeighbors, function, arguments)
#define NONBLOCKING(function, name, arguments, ...) LOCAL(Nonblocking, function, arguments)
#define PERSISTENT(function, name, arguments, ...) LOCAL(Persistent, function, arguments)
    LANEWAY_NEIGHBORHOOD(LANEWAY_BLOCKING, OF_NEIGHBORS) LANEWAY_NEIGHBORHOOD(
        LANEWAY_NONBLOCKING, NONBLOCKING) LANEWAY_NEIGHBORHOOD(LANEWAY_PERSISTENT, PERSISTENT)};

}  // namespace

/// For the preload: a function that counts calls of the MPI function `mpi` and hands them to the library's
/// own, `library`. Null where calls of that function are not counted.
extern "C" __attribute__((visibility("default"))) Function* laneway_counting(const char* mpi,
                                                                             Function* library)
{
    for (const Entry& entry : entries)
        if (std::strcmp(entry.mpi, mpi) == 0) return entry.take(library);
    return nullptr;
}

}  // namespace laneway
