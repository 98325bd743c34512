// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <type_traits>
#include <utility>

#include "mpi/error.hpp"
#include "mpi/interposed.h"

/// The MPI library's own functions where the preload takes the place of the PMPI_ ones: what of ours
/// calls a collective calls `real::Bcast`, never PMPI_Bcast, which may lead back to us. They are
/// looked up in the library itself as soon as this code is loaded.
namespace laneway::real {

/// A collective with its large-count form, which serves where a count does not fit into an int.
template <class Common, class Large>
class Counted;

template <class... Argument, class... Large>
class Counted<int(Argument...), int(Large...)> {
public:
    /// `large` is null where the library has no such form.
    Counted(int (*common)(Argument...), int (*large)(Large...)) : common_(common), large_(large) {}

    /// Returns the MPI error code. Throws Error (MPI_ERR_COUNT) where the library cannot count that.
    template <class... Given>
    int operator()(Given... given) const
    {
        if ((fits<Argument>(given) && ...)) return common_(static_cast<Argument>(given)...);
        if (!large_) throw Error(MPI_ERR_COUNT);
        return large_(static_cast<Large>(given)...);
    }

private:
    template <class Wanted, class Given>
    static bool fits(Given given)
    {
        if constexpr (std::is_same_v<Given, std::int64_t> && std::is_same_v<Wanted, int>)
            return std::in_range<int>(given);
        else
            return true;
    }

    int (*common_)(Argument...);
    int (*large_)(Large...);
};

#if MPI_VERSION >= 4
#define LANEWAY_REAL_LARGE(name) PMPI_##name##_c
#else
#define LANEWAY_REAL_LARGE(name) PMPI_##name
#endif

#define LANEWAY_REAL_COUNTED(name, ...) \
    extern const Counted<decltype(PMPI_##name), decltype(LANEWAY_REAL_LARGE(name))> name;
#define LANEWAY_REAL_OTHER(name, ...) extern decltype(PMPI_##name)* const name;
LANEWAY_REGULAR(LANEWAY_BLOCKING, LANEWAY_REAL_COUNTED)
LANEWAY_VECTOR(LANEWAY_BLOCKING, LANEWAY_REAL_OTHER)
LANEWAY_BARRIER(LANEWAY_BLOCKING, LANEWAY_REAL_OTHER)
LANEWAY_ENDS(LANEWAY_BLOCKING, LANEWAY_REAL_OTHER)
LANEWAY_REAL_OTHER(Iallreduce)
#ifdef MPI_SESSION_NULL
LANEWAY_SESSIONS(LANEWAY_BLOCKING, LANEWAY_REAL_OTHER)
#endif
#undef LANEWAY_REAL_OTHER
#undef LANEWAY_REAL_COUNTED

}  // namespace laneway::real
