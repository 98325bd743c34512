// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "library/interposed.h"

/// Functions of MPI 4. One build serves all releases of a library with the same binary interface, and earlier ones lack
/// these functions. The address of a function that is lacking is null.
#if MPI_VERSION >= 4
#define LANEWAY_MAY_LACK(name, ...) \
    extern "C" __attribute__((weak)) decltype(PMPI_##name) PMPI_##name;
LANEWAY_SERVED(LANEWAY_BLOCKING_C, LANEWAY_MAY_LACK)
LANEWAY_SERVED(LANEWAY_NONBLOCKING_C, LANEWAY_MAY_LACK)
LANEWAY_SESSIONS(LANEWAY_BLOCKING, LANEWAY_MAY_LACK)
LANEWAY_MAY_LACK(Pack_c)
LANEWAY_MAY_LACK(Pack_size_c)
LANEWAY_MAY_LACK(Unpack_c)
LANEWAY_MAY_LACK(Type_get_contents_c)
LANEWAY_MAY_LACK(Type_get_envelope_c)
#undef LANEWAY_MAY_LACK
#endif

namespace laneway {

/// The library has the forms of its functions that count with MPI_Count.
inline bool has_large_counts()
{
#if MPI_VERSION >= 4
    return &PMPI_Pack_c && &PMPI_Pack_size_c && &PMPI_Unpack_c && &PMPI_Type_get_envelope_c &&
           &PMPI_Type_get_contents_c;
#else
    return false;
#endif
}

}  // namespace laneway
