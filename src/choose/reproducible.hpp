// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "choose/rules.hpp"

/// The reproducible mode: reductions whose result depends on their operands and the number of ranks alone.
/// Each element is combined in rank order and with brackets that are the same for all elements, messages,
/// roots and machines, so what serves may well depend on the bytes.
namespace laneway {

/// What the rules of the mode have as their origin.
inline constexpr const char* reproducible_origin = "reproducible";

/// Adds the rules of the mode, for reductions in all forms. Returns where those come from that they
/// overrule, `LANEWAY_ALGORITHM and site.conf`; empty: there are none.
std::string make_reproducible(Rules& rules);

}  // namespace laneway
