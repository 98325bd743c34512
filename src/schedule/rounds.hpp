// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "layout/layout.hpp"
#include "schedule/schedule.hpp"

/// When messages of a schedule are sent, if all take as long, whatever their bytes. Both throw std::logic_error for a
/// deadlock.
namespace laneway {

/// The round of each message, from 1 on. It is one more than the latest round that its sender has waited for before,
/// sends of its own among them. (A message to itself is in that latest round.)
std::vector<std::uint32_t> rounds_of(const Schedule& schedule);

/// The steps of a schedule in the k-lane model (Traeff and Hunold 2020, Section 5). In a step, each of the `lanes` of a
/// node carries a message out and one in. Meanwhile each process of a node gives every other one a message. Process j
/// is on lane j mod `lanes`. Those that share a lane take turns, so that k' of them on k lanes take k'/k times as many
/// steps. Lanes carry messages in the order in which they are sent. Copies and reductions take no step.
std::uint32_t unit_steps_of(const Schedule& schedule, const Layout& layout, int lanes);

}  // namespace laneway
