// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

#include "bench/clock.hpp"
#include "bench/team.hpp"

namespace laneway::bench {

/// What makes ranks begin a repetition together.
enum class Sync {
    barrier,  ///< A barrier of ours.
    library,  ///< MPI_Barrier.
    clock     ///< An agreed moment on the global clock.
};

/// When ranks come to a repetition, counted from the common start.
struct Arrival {
    enum class Pattern {
        balanced,  ///< All at once.
        late,      ///< The last rank `seconds` after the others.
        random     ///< Each at a moment within `seconds`, another in every repetition.
    };
    Pattern pattern = Pattern::balanced;
    double seconds = 0;

    /// Seconds after the start at which `rank` of `size` arrives. A `seed` stands for a pattern.
    double delay(int rank, int size, int repetition, unsigned seed) const;

    /// Seconds from the first to the last of these moments.
    double spread(int size, int repetition, unsigned seed) const;
};

const char* name(Sync sync);
const char* name(Arrival::Pattern pattern);

/// "clock"; "late:500", the number in microseconds. Throw UsageError.
Sync sync(const std::string& text);
Arrival arrival(const std::string& text);

/// How the calling rank began a repetition.
struct Start {
    double time;     ///< When it did, by now().
    bool late;       ///< By more than `tolerated` after the agreed moment (Sync::clock only).
    bool told_late;  ///< It heard of that moment only when it had passed.

    /// Seconds: well above what a look at the clock or at another process takes, well below what a
    /// rank is late by that was not given its core in time.
    static constexpr double tolerated = 10e-6;
};

/// Starts the repetitions of a team.
class Starter {
public:
    Starter(Sync sync, Arrival arrival, unsigned seed, const Team& team, const GlobalClock& clock);

    /// Brings the ranks to a common start, then the calling one to its arrival. Collective.
    Start operator()(int repetition);

    /// Seconds between the first and the last arrival of a repetition, as planned.
    double planned_skew(int repetition) const;

    /// Announces starts earlier from now on. To be called by all ranks alike, where some were told
    /// too late; not where they overslept, which more time does not mend.
    void give_more_time();

private:
    Sync sync_;
    Arrival arrival_;
    unsigned seed_;
    const Team& team_;
    const GlobalClock& clock_;
    double ahead_;  ///< Seconds from the announcement of a start to the start.
};

}  // namespace laneway::bench
