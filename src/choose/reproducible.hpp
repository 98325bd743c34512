// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "choose/rules.hpp"

/// The reproducible mode: reductions whose result depends on their operands and the number of ranks alone.
/// Each element is combined in rank order and with brackets that are the same for all elements, messages,
/// roots and machines. So the algorithm that serves may well depend on the bytes.
namespace laneway {

/// The origin of the mode's rules.
inline constexpr const char* reproducible_origin = "reproducible";

/// Adds the rules of the mode, for reductions in all forms. Returns the origins of the rules that they
/// overrule, as `LANEWAY_ALGORITHM and site.conf`; empty: there are none.
std::string make_reproducible(Rules& rules);

}  // namespace laneway
