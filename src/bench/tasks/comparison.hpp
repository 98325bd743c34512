// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/job/team.hpp"
#include "bench/options/options.hpp"
#include "bench/tasks/plan.hpp"
#include "bench/tasks/session.hpp"

namespace laneway::bench {

/// Verifies and times the candidates of one case on a team that the calling rank belongs to, writing
/// a row for every repetition. `seed` decides the order of the blocks and random arrivals. Collective.
void compare(const Case& of, const Options& options, const Team& team, unsigned seed,
             Session& session);

}  // namespace laneway::bench
