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

/// The state that measuring needs, and leaves its traces in.
struct Session {
    const Options& options;  ///< Options of the whole run; a block has its own.
    const Team& everyone;
    GlobalClock& clock;
    const Counters& counters;
    Crew& crew;
    Sink sink;
    std::function<void(double)> progress;  ///< Told the share of a case that is done.
    Notice notice = {};                    ///< The notice for starts by the clock.
    bool wrong = false;                    ///< Some result was not what it must be.
    std::int64_t samples = 0;              ///< Samples written so far.
    double repeating = 0;                  ///< Seconds that repetitions took, starts included.
    double timed = 0;                      ///< Seconds: the sum of their times.

    /// Writes the rows so far, while all ranks rest. Collective.
    void hand_over()
    {
        sink.flush();
        rest(everyone.own);
    }
};

}  // namespace laneway::bench
