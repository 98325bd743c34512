// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "machine/variable.hpp"

namespace laneway {

/// Whether a variable of the environment is anything but empty and 0.
inline bool is_on(const std::string& name)
{
    const std::string value = variable(name);
    return !value.empty() && value != "0";
}

/// The kind of the nodes: `virtual`, `emulated` or, if empty, real.
inline std::string place_of_nodes()
{
    if (!variable("LANEWAY_NODE_SIZE").empty()) return "virtual";
    return is_on("LANEWAY_EMULATED") ? "emulated" : "";
}

}  // namespace laneway
