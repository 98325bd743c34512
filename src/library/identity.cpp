// SPDX-License-Identifier: BSD-3-Clause
#include "library/identity.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <array>
#include <filesystem>
#include <string_view>

#include "library/error.hpp"
#include "library/real.hpp"

namespace laneway {

std::string library_name()
{
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    PMPI_Get_library_version(text.data(), &length);
    const std::string_view all(text.data());
    const auto after = [&](std::string_view begins, std::string_view ends) {
        const auto from = all.find_first_not_of(" \t", begins.size());
        return std::string(all.substr(from, all.find_first_of(ends, from) - from));
    };
    // "Open MPI v4.1.4, package: ..." and "MPICH Version:      4.0.2\n..."
    if (all.starts_with("Open MPI v")) return "Open MPI " + after("Open MPI v", ", \n");
    // "Intel(R) MPI Library 2021.19.0 for Linux* OS\n..."
    constexpr std::string_view intel = "Intel(R) MPI Library";
    if (all.starts_with(intel)) return "Intel MPI " + after(intel, " \n");
    if (all.starts_with("MPICH Version:")) return "MPICH " + after("MPICH Version:", " \t\n");
    return std::string(all.substr(0, all.find('\n')));
}

std::string library_prefix()
{
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&PMPI_Get_library_version), &here) == 0) return {};
    return std::filesystem::path(here.dli_fname).parent_path().parent_path();
}

bool has_sessions()
{
    void* const its = real::library();
#ifdef MPI_SESSION_NULL
    if (!its) return true;
#endif
    return its && dlsym(its, "PMPI_Session_init");
}

bool world_is_there()
{
    int initialized = 0, finalized = 0;
    check(PMPI_Initialized(&initialized));
    check(PMPI_Finalized(&finalized));
    return initialized && !finalized;
}

}  // namespace laneway
