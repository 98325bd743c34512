// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "library/error.hpp"
#include "library/interposed.h"

/// The library's collectives, in place of src/library/real.hpp: there are none.
namespace laneway::real {

struct Absent {
    const char* name;
    template <class... Argument>
    int operator()(const Argument&...) const
    {
        return stub::no_mpi(name);
    }
};

#define LANEWAY_ABSENT(name, ...) inline constexpr Absent name{"MPI_" #name};
LANEWAY_SERVED(LANEWAY_BLOCKING, LANEWAY_ABSENT)
LANEWAY_BARRIER(LANEWAY_BLOCKING, LANEWAY_ABSENT)
LANEWAY_ENDS(LANEWAY_BLOCKING, LANEWAY_ABSENT)
#undef LANEWAY_ABSENT
inline constexpr Absent Cancel{"MPI_Cancel"}, Request_free{"MPI_Request_free"};

inline int Type_free(MPI_Datatype* type) { return PMPI_Type_free(type); }

}  // namespace laneway::real
