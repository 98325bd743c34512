// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "bench/job/global_clock.hpp"
#include "bench/job/team.hpp"

namespace laneway::bench {

/// The means by which ranks begin a repetition together.
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

/// The meaning of "clock", and of "late:500", a number in microseconds. Throw Misunderstood.
Sync sync(const std::string& text);
Arrival arrival(const std::string& text);

/// How the calling rank began a repetition.
struct Start {
    double time;     ///< The time when it began, by now().
    bool late;       ///< Whether it missed the moment by more than `tolerated` (Sync::clock only).
    double hearing;  ///< Seconds until it heard of that moment (Sync::clock only).

    /// Seconds that a start may be late. They are well above the time of a look at the clock or at another process.
    /// They are well below the delay of a rank that was not given its core in time.
    static constexpr double tolerated = 10e-6;
};

/// Seconds from the announcement of a start to the start. The time to hear of it depends on the network, and hardly
/// on what is measured: a job learns it once.
struct Notice {
    double seconds = at_least;

    static constexpr double at_least = 200e-6;
    static constexpr double at_most = 0.1;
};

/// Starts the repetitions of a team.
class Starter {
public:
    Starter(Sync sync, Arrival arrival, unsigned seed, const Team& team, const GlobalClock& clock,
            Notice& notice);

    /// Brings the ranks to a common start, then the calling one to its arrival. Collective.
    Start operator()(int repetition);

    /// Seconds between the first and the last arrival of a repetition, as planned.
    double planned_skew(int repetition) const;

    /// Whether most of some starts were announced in time; the last rank heard of each after so many seconds. Adapts
    /// how early starts are announced from now on. To be called by all ranks alike.
    bool were_in_time(std::vector<double> heard_after);

private:
    Sync sync_;
    Arrival arrival_;
    unsigned seed_;
    const Team& team_;
    const GlobalClock& clock_;
    Notice& notice_;
};

}  // namespace laneway::bench
