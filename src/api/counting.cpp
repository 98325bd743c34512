// SPDX-License-Identifier: BSD-3-Clause
// Functions of the library's that the report asks about. Collectives of neighbours that Laneway has no algorithm for are
// counted. Where advice is wanted, or something is learnt, calls are timed in which the program waits for requests.
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "api/handing_on.hpp"
#include "call/begin.hpp"
#include "call/timed.hpp"
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
LANEWAY_COMPLETIONS(LANEWAY_BLOCKING, FUNCTION)
#undef FUNCTION
}  // namespace of

namespace {

/// Why calls are left to the library, and how many arguments they have after the communicator.
struct OfNeighbors {
    static constexpr const char* why = "neighbourhood collective: left to the library";
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

/// Adds to what is told of a call that the library takes: the bytes that a process sends to a neighbour, or to all.
template <bool large>
void describe_neighbors(Word count, Word type, Decision& decision)
{
    decision.type = handle_in<MPI_Datatype>(type);
    int size = 0;
    check_raised(PMPI_Type_size(decision.type, &size));
    decision.bytes = (large ? std::int64_t{count} : static_cast<int>(count)) * size;
}

/// Calls of a function, with large counts or not. They are counted without a message: the other processes
/// may come any time later.
template <class Of, class Kind, bool large, class Arguments>
class Local;

template <class Of, class Kind, bool large, std::size_t... i>
class Local<Of, Kind, large, std::index_sequence<i...>> {
public:
    static inline int (*next)(AWord<i>...) = nullptr;

    static int call(AWord<i>... argument)
    {
        constexpr std::size_t place = sizeof...(i) - 1 - Kind::after;
        const auto all = std::tie(argument...);
        const auto comm = handle_in<MPI_Comm>(std::get<place>(all));
        const auto native = [&] { return users::run([&] { return next(argument...); }); };
        if (!Report::own()) return native();
        return enter(Of::name, comm, native, [&] {
            if (std::is_same_v<Kind, Persistent> || !is_advice_asked_for()) {
                count_left(comm, Of::name, Kind::why);
                return native();
            }
            // A blocking call leaves no request.
            const auto* const request =
                std::is_same_v<Kind, Nonblocking>
                    ? handle_in<MPI_Request*>(std::get<sizeof...(i) - 1>(all))
                    : &no_request;
            return timed(comm, {Of::name, -1, "native", OfNeighbors::why}, request, native,
                         [&](Decision& decision) {
                             describe_neighbors<large>(std::get<1>(all), std::get<2>(all),
                                                       decision);
                         });
        });
    }

private:
    static inline const MPI_Request no_request = MPI_REQUEST_NULL;
};

/// Calls of a function in which the program waits for one request, or for a number of requests.
template <class Of, class Arguments>
class Waits;

template <class Of, std::size_t... i>
class Waits<Of, std::index_sequence<i...>> {
    static constexpr bool one = std::is_same_v<Of, of::Wait> || std::is_same_v<Of, of::Test>;

public:
    static inline int (*next)(AWord<i>...) = nullptr;

    static int call(AWord<i>... argument)
    {
        const auto native = [&] { return users::run([&] { return next(argument...); }); };
        const auto all = std::tie(argument...);
        const int count = one ? 1 : static_cast<int>(std::get<0>(all));
        return TimedRequests::watch(count, handle_in<MPI_Request*>(std::get<one ? 0 : 1>(all)),
                                    native);
    }
};

struct Entry {
    const char* mpi;
    AnyFunction* (*take)(AnyFunction* library);
    bool for_times = false;  ///< it matters to advice and learning alone
};

constexpr Entry entries[] = {
#define LOCAL(Kind, function, arguments)                                                      \
    {"MPI_" #function,                                                                        \
     handing_on_to<Local<of::function, Kind, false, std::make_index_sequence<(arguments)>>>}, \
        {"MPI_" #function "_c",                                                               \
         handing_on_to<Local<of::function, Kind, true, std::make_index_sequence<(arguments)>>>},
#define OF_NEIGHBORS(function, name, arguments, ...) LOCAL(OfNeighbors, function, arguments)
#define NONBLOCKING(function, name, arguments, ...) LOCAL(Nonblocking, function, arguments)
#define PERSISTENT(function, name, arguments, ...) LOCAL(Persistent, function, arguments)
#define WAITS(function, name, arguments, ...)                                                     \
    {"MPI_" #function, handing_on_to<Waits<of::function, std::make_index_sequence<(arguments)>>>, \
     true},
    LANEWAY_NEIGHBORHOOD(LANEWAY_BLOCKING, OF_NEIGHBORS) LANEWAY_NEIGHBORHOOD(
        LANEWAY_NONBLOCKING, NONBLOCKING) LANEWAY_NEIGHBORHOOD(LANEWAY_PERSISTENT, PERSISTENT)
        LANEWAY_COMPLETIONS(LANEWAY_BLOCKING, WAITS)};

}  // namespace

/// For the preload: a function that counts calls of the MPI function `mpi` and hands them to the library's
/// own, `library`. Null where calls of that function are not counted.
extern "C" __attribute__((visibility("default"))) AnyFunction* laneway_counting(
    const char* mpi, AnyFunction* library)
{
    // Whether times are wanted is known later: settings may be wrong.
    const bool may_time = secure_getenv("LANEWAY_ADVISE") || secure_getenv("LANEWAY_LEARN");
    for (const Entry& entry : entries)
        if (std::strcmp(entry.mpi, mpi) == 0 && (may_time || !entry.for_times)) {
            if (entry.for_times) TimedRequests::watch_all();
            return entry.take(library);
        }
    return nullptr;
}

}  // namespace laneway
