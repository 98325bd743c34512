// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "bench/clock.hpp"
#include "bench/counters.hpp"
#include "bench/crew.hpp"
#include "bench/options.hpp"
#include "bench/plan.hpp"
#include "bench/row.hpp"
#include "bench/start.hpp"
#include "bench/team.hpp"

namespace laneway::bench {

/// What measuring needs and leaves its traces in.
struct Session {
    const Options& options;  ///< Of the whole run; a block has its own.
    const Team& everyone;
    GlobalClock& clock;
    const Counters& counters;
    Crew& crew;
    Sink sink;
    std::function<void(double)> progress;  ///< Told the share of a case that is done.
    Notice notice = {};                    ///< Of starts by the clock.
    bool wrong = false;                    ///< Some result was not what it must be.
    std::int64_t samples = 0;              ///< Written so far,
    double repeating = 0;                  ///< what repetitions took, starts included,
    double timed = 0;                      ///< and the sum of their times, in seconds.
};

/// Writes the rows so far, while all ranks rest. Collective.
void hand_over(Session& session);

/// Verifies and times one case on a team that the calling rank belongs to, writing a row for every
/// repetition. `seed` decides the order of the blocks and random arrivals. Collective.
void measure(const Case& of, const Options& options, const Team& team, unsigned seed,
             Session& session);

}  // namespace laneway::bench
