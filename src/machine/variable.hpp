// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <string>

namespace laneway {

/// A variable of the environment; empty where it is not set, or the process has more rights than its user.
inline std::string variable(const std::string& name)
{
    const char* const value = secure_getenv(name.c_str());
    return value ? value : "";
}

}  // namespace laneway
