// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "mpi/interposed.h"

/// The MPI library's own functions where the preload takes the place of the PMPI_ ones: what of ours
/// calls a collective calls `real::Bcast`, never PMPI_Bcast, which may lead back to us. They are
/// looked up in the library itself as soon as this code is loaded.
namespace laneway::real {

#define LANEWAY_REAL(name, ...) extern decltype(PMPI_##name)* const name;
#define LANEWAY_REAL_LARGE(name, ...) LANEWAY_REAL(name##_c)
LANEWAY_COUNTED(LANEWAY_REAL)
LANEWAY_OTHERS(LANEWAY_REAL)
#ifdef MPI_SESSION_NULL
LANEWAY_SESSIONS(LANEWAY_REAL)
#endif
#if MPI_VERSION >= 4
LANEWAY_COUNTED(LANEWAY_REAL_LARGE)
#endif
#undef LANEWAY_REAL_LARGE
#undef LANEWAY_REAL

}  // namespace laneway::real
