// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "schedule/schedule.hpp"

namespace laneway {

/// Writes a schedule in GOAL, the text that LogGOPSim reads (Hoefler, Siebert, Lumsdaine, "Group operation assembly
/// language", 2009). Each piece of the text is given to `write`. `nanoseconds` is the time of a copy or a reduction.
void write_goal(const Schedule& schedule,
                const std::function<std::int64_t(const Schedule::Step&)>& nanoseconds,
                const std::function<void(const std::string& text)>& write);

}  // namespace laneway
