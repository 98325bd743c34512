// SPDX-License-Identifier: BSD-3-Clause
#include "library/real.hpp"

#include <dlfcn.h>

#include "library/recent.hpp"

namespace laneway::real {
/// The library is found by a function of it that nobody takes the place of.
void* library()
{
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&PMPI_Get_library_version), &info) == 0) return nullptr;
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

bool is_taken(const char* function)
{
    void* const its = library();
    return its && dlsym(RTLD_DEFAULT, function) != dlsym(its, function);
}

namespace {

/// `linked` is null where the library may lack the function.
template <class Function>
Function* find(const char* name, Function* linked)
{
    static void* const handle = library();
    void* const found = handle ? dlsym(handle, name) : nullptr;
    return handle ? reinterpret_cast<Function*>(found) : linked;
}

/// Open MPI 4 has its persistent collectives as extensions.
template <class Function>
Function* find_persistent(const char* name, const char* extension)
{
    Function* const found = find<Function>(name, nullptr);
    return found ? found : find<Function>(extension, nullptr);
}

}  // namespace

#if MPI_VERSION >= 4
#define LANEWAY_FOUND_LARGE(name) find("PMPI_" #name "_c", &PMPI_##name##_c)
#define LANEWAY_FOUND_LARGE_I(lower) find("PMPI_I" #lower "_c", &PMPI_I##lower##_c)
#else
#define LANEWAY_FOUND_LARGE(name) nullptr
#define LANEWAY_FOUND_LARGE_I(lower) nullptr
#endif
#define LANEWAY_FOUND_PERSISTENT(name, Function) \
    find_persistent<Function>("PMPI_" #name "_init", "PMPIX_" #name "_init")

#define LANEWAY_REAL_FORMS(name, lower, ...)                                                  \
    const Forms<decltype(PMPI_##name), decltype(LANEWAY_REAL_LARGE(name))> name{              \
        {find("PMPI_" #name, &PMPI_##name), LANEWAY_FOUND_LARGE(name)},                       \
        {find("PMPI_I" #lower, &PMPI_I##lower), LANEWAY_FOUND_LARGE_I(lower)},                \
        {LANEWAY_FOUND_PERSISTENT(name, LANEWAY_REAL_INIT(decltype(PMPI_##name))),            \
         find<LANEWAY_REAL_INIT(decltype(LANEWAY_REAL_LARGE(name)))>("PMPI_" #name "_init_c", \
                                                                     nullptr)}};
#define LANEWAY_REAL_INIT(...) With<__VA_ARGS__, MPI_Info, MPI_Request*>::type
#define LANEWAY_REAL_OTHER(name, ...) \
    decltype(PMPI_##name)* const name = find("PMPI_" #name, &PMPI_##name);
LANEWAY_SERVED(LANEWAY_BLOCKING, LANEWAY_REAL_FORMS)
const Forms<decltype(PMPI_Barrier), decltype(PMPI_Barrier)> Barrier{
    {find("PMPI_Barrier", &PMPI_Barrier), nullptr},
    {find("PMPI_Ibarrier", &PMPI_Ibarrier), nullptr},
    {LANEWAY_FOUND_PERSISTENT(Barrier, LANEWAY_REAL_INIT(decltype(PMPI_Barrier))), nullptr}};
LANEWAY_ENDS(LANEWAY_BLOCKING, LANEWAY_REAL_OTHER)
LANEWAY_REQUESTS(LANEWAY_BLOCKING, LANEWAY_REAL_OTHER)
LANEWAY_COMPLETIONS(LANEWAY_BLOCKING, LANEWAY_REAL_OTHER)
LANEWAY_REAL_OTHER(Comm_idup, )
int (*const Comm_idup_with_info)(MPI_Comm, MPI_Info, MPI_Comm*, MPI_Request*) =
    find<int(MPI_Comm, MPI_Info, MPI_Comm*, MPI_Request*)>("PMPI_Comm_idup_with_info", nullptr);
#ifdef MPI_SESSION_NULL
int (*const Session_finalize)(Session*) = find("PMPI_Session_finalize", &PMPI_Session_finalize);
#else
int (*const Session_finalize)(Session*) = find<int(Session*)>("PMPI_Session_finalize", nullptr);
#endif

}  // namespace laneway::real
