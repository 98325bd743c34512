// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/real.hpp"

#include <dlfcn.h>

namespace laneway::real {
namespace {

/// The MPI library, found by a function of it that nobody takes the place of; null where it is part
/// of the program.
void* library()
{
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&PMPI_Get_library_version), &info) == 0) return nullptr;
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

template <class Function>
Function* find(const char* name, Function* linked)
{
    static void* const handle = library();
    void* const found = handle ? dlsym(handle, name) : nullptr;
    return found ? reinterpret_cast<Function*>(found) : linked;
}

}  // namespace

#if MPI_VERSION >= 4
#define LANEWAY_FOUND_LARGE(name) find("PMPI_" #name "_c", &PMPI_##name##_c)
#else
#define LANEWAY_FOUND_LARGE(name) nullptr
#endif

#define LANEWAY_REAL_COUNTED(name, ...)                                            \
    const Counted<decltype(PMPI_##name), decltype(LANEWAY_REAL_LARGE(name))> name{ \
        find("PMPI_" #name, &PMPI_##name), LANEWAY_FOUND_LARGE(name)};
#define LANEWAY_REAL_OTHER(name, ...) \
    decltype(PMPI_##name)* const name = find("PMPI_" #name, &PMPI_##name);
LANEWAY_REGULAR(LANEWAY_BLOCKING, LANEWAY_REAL_COUNTED)
LANEWAY_VECTOR(LANEWAY_BLOCKING, LANEWAY_REAL_OTHER)
LANEWAY_BARRIER(LANEWAY_BLOCKING, LANEWAY_REAL_OTHER)
LANEWAY_ENDS(LANEWAY_BLOCKING, LANEWAY_REAL_OTHER)
LANEWAY_REAL_OTHER(Iallreduce)
#ifdef MPI_SESSION_NULL
LANEWAY_SESSIONS(LANEWAY_BLOCKING, LANEWAY_REAL_OTHER)
#endif

}  // namespace laneway::real
