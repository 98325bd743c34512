// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "carriers/simulated/machine.hpp"
#include "layout/layout.hpp"
#include "schedule/schedule.hpp"

namespace laneway {

/// The load that a schedule puts on each lane, link and node of a machine.
struct Usage {
    struct Load {
        std::int64_t bytes = 0, messages = 0;
    };
    std::vector<Load> out, in;  ///< by lane, node after node
    std::vector<Load> links;    ///< by link between the lanes
    std::vector<Load> inside;   ///< by node
};

Usage usage_of(const Schedule& schedule, const Layout& layout, const Machine& machine);
}  // namespace laneway
