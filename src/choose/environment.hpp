// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace laneway {

/// The text of the settings that this process's environment asks for, as Settings reads it, from the LANEWAY_*
/// variables and the files that they name. Nothing is judged here but whether it can be read: the text says what
/// is wrong, as all processes are to know it.
std::string read_environment();

/// All variables that read_environment() looks at, but not the files that they name.
std::string environment_variables();

/// The MPI library that a profile is for, if its rules are left out with the one in use; else empty. Throws
/// Misunderstood.
std::string other_library_of(const std::string& path);

}  // namespace laneway
