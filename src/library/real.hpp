// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <type_traits>
#include <utility>
#include <vector>

#include "library/error.hpp"
#include "library/interposed.h"
#include "library/numbers.hpp"
#include "library/users.hpp"

/// The MPI library's own functions, where the preload takes the place of the PMPI_ ones. Code of ours that calls a
/// collective calls `real::Bcast`, never PMPI_Bcast, which may lead back to us; so it is with waiting for requests. The
/// functions are looked up in the library itself as soon as this code is loaded.
namespace laneway::real {

/// The MPI library, for dlsym; null where it is part of the program.
void* library();

/// Whether the program's calls of that function come to us, not to the library.
bool is_taken(const char* function);

/// A collective with its large-count form, which serves where a count does not fit into an int.
template <class Common, class Large>
class Counted;

template <class... Argument, class... Large>
class Counted<int(Argument...), int(Large...)> {
public:
    /// `large` is null where the library has no such form.
    Counted(int (*common)(Argument...), int (*large)(Large...)) : common_(common), large_(large) {}

    /// Returns the MPI error code. Throws Error where the library cannot count that (MPI_ERR_COUNT), or
    /// has no such function (MPI_ERR_UNSUPPORTED_OPERATION).
    template <class... Given>
    int operator()(Given... given) const
    {
        if (!common_) throw Error(MPI_ERR_UNSUPPORTED_OPERATION);
        if ((fits<Argument>(given) && ...))
            return users::run([&] { return common_(static_cast<Argument>(given)...); });
        if (!large_) return with_narrowed(given...);
        return users::run([&] { return large_(static_cast<Large>(given)...); });
    }

private:
    template <class Wanted, class Given>
    static bool fits(Given given)
    {
        if constexpr (std::is_same_v<Given, Numbers>)
            return !given.is_large();
        else if constexpr (std::is_same_v<Given, std::int64_t> && std::is_same_v<Wanted, int>)
            return std::in_range<int>(given);
        else
            return true;
    }

    /// Calls with large arrays as ints. Arrays that a request needs last as long as the process. Only a library
    /// without large counts wants them, and no program that was written for one.
    template <class... Given>
    int with_narrowed(Given... given) const
    {
        constexpr bool lasts = (std::is_same_v<Given, MPI_Request*> || ...);
        if constexpr ((std::is_same_v<Given, Numbers> || ...)) {
            std::deque<std::vector<int>> arrays;
            auto& kept = lasts ? *new std::deque<std::vector<int>> : arrays;
            return (*this)(narrowed(given, kept)...);
        } else {
            throw Error(MPI_ERR_COUNT);
        }
    }
    template <class Given>
    static Given narrowed(Given given, std::deque<std::vector<int>>& kept)
    {
        if constexpr (std::is_same_v<Given, Numbers>)
            return given.is_large() && given.has_size()
                       ? Numbers(kept.emplace_back(given.narrowed()).data())
                       : Numbers(static_cast<const int*>(nullptr));
        else if constexpr (std::is_same_v<Given, std::int64_t>)
            if (!std::in_range<int>(given)) throw Error(MPI_ERR_COUNT);
        return given;
    }

    int (*common_)(Argument...);
    int (*large_)(Large...);
};

/// The type of a function that takes more arguments than another.
template <class Function, class... More>
struct With;
template <class... Argument, class... More>
struct With<int(Argument...), More...> {
    using type = int(Argument..., More...);
};

/// A collective in all its forms; as a function, the blocking one.
template <class Common, class Large>
struct Forms {
    template <class... More>
    using Form = Counted<typename With<Common, More...>::type, typename With<Large, More...>::type>;

    Counted<Common, Large> blocking;
    Form<MPI_Request*> nonblocking;
    Form<MPI_Info, MPI_Request*> persistent;

    template <class... Given>
    int operator()(Given... given) const
    {
        return blocking(given...);
    }
};

#if MPI_VERSION >= 4
#define LANEWAY_REAL_LARGE(name) PMPI_##name##_c
#else
#define LANEWAY_REAL_LARGE(name) PMPI_##name
#endif

#define LANEWAY_REAL_FORMS(name, ...) \
    extern const Forms<decltype(PMPI_##name), decltype(LANEWAY_REAL_LARGE(name))> name;
#define LANEWAY_REAL_OTHER(name, ...) extern decltype(PMPI_##name)* const name;
LANEWAY_SERVED(LANEWAY_BLOCKING, LANEWAY_REAL_FORMS)
extern const Forms<decltype(PMPI_Barrier), decltype(PMPI_Barrier)> Barrier;
LANEWAY_ENDS(LANEWAY_BLOCKING, LANEWAY_REAL_OTHER)
LANEWAY_REQUESTS(LANEWAY_BLOCKING, LANEWAY_REAL_OTHER)
LANEWAY_COMPLETIONS(LANEWAY_BLOCKING, LANEWAY_REAL_OTHER)
LANEWAY_REAL_OTHER(Comm_idup, )
/// Null where the library has none: some have it before they have all of MPI 4.
extern int (*const Comm_idup_with_info)(MPI_Comm, MPI_Info, MPI_Comm*, MPI_Request*);
#ifdef MPI_SESSION_NULL
using Session = MPI_Session;
#else
/// The library may have sessions that its header does not know: one build serves several releases.
using Session = void*;
#endif
/// Null where the library has no sessions.
extern int (*const Session_finalize)(Session*);
#undef LANEWAY_REAL_OTHER
#undef LANEWAY_REAL_FORMS

}  // namespace laneway::real
