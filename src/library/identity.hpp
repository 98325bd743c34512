// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace laneway {

/// Name and version of the MPI library in use: "Open MPI 4.1.4", "MPICH 4.0.2", "Intel MPI 2021.19.0". Other libraries
/// are named by the first line of their description. May be called before MPI_Init.
std::string library_name();

/// The folder that the library is installed in, above its `lib`; empty where that cannot be found.
std::string library_prefix();

/// Whether the library has sessions, which not all of its releases with the same binary interface have.
bool has_sessions();

/// Whether MPI_COMM_WORLD exists. Sessions have none, and may outlive it.
bool world_is_there();

}  // namespace laneway
