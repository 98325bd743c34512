// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "bench/job/counters.hpp"
#include "bench/job/crew.hpp"
#include "bench/job/global_clock.hpp"
#include "bench/job/ranks.hpp"
#include "bench/job/team.hpp"
#include "bench/options/options.hpp"
#include "bench/text/sink.hpp"
#include "bench/timing/start.hpp"

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

    /// Writes the rows so far, while all ranks rest. Collective.
    void hand_over()
    {
        sink.flush();
        rest(everyone.own);
    }
};

}  // namespace laneway::bench
