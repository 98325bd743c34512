// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

#include "bench/clock.hpp"

namespace laneway::bench {

/// What makes ranks begin a repetition together.
enum class Sync {
    barrier,  ///< A dissemination barrier of ours.
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

    /// Seconds after the start at which `rank` of `size` arrives.
    double delay(int rank, int size, int repetition, unsigned seed) const;
};

const char* name(Sync sync);
const char* name(Arrival::Pattern pattern);

/// "clock"; "late:500", the number in microseconds. Throw UsageError.
Sync sync(const std::string& text);
Arrival arrival(const std::string& text);

/// Starts the repetitions of a communicator.
class Starter {
public:
    Starter(Sync sync, Arrival arrival, unsigned seed, MPI_Comm comm, const GlobalClock& clock);

    /// Brings the ranks to a common start, then the calling one to its arrival. Whether it was in
    /// time: false only where a clock-synchronised start had passed. Collective.
    bool operator()(int repetition);

    /// Told how many ranks were late in a block, alike on all ranks, gives them more time.
    void adapt(int late);

private:
    Sync sync_;
    Arrival arrival_;
    unsigned seed_;
    MPI_Comm comm_;
    const GlobalClock& clock_;
    int rank_ = 0;
    int size_ = 0;
    double ahead_;  ///< Seconds from the announcement of a start to the start.
};

}  // namespace laneway::bench
