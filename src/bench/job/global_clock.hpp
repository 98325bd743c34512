// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "bench/text/row.hpp"

namespace laneway::bench {

/// The clock of rank 0, read by every rank: offset and drift of the ranks' clocks, found by
/// messages.
///
/// Processes of one system share a clock; that they do is checked by messages, not believed. The first process of
/// every group with a clock of its own learns rank 0's clock along a binomial tree. It learns from a process that
/// knows that clock already, and tells its group. An offset is taken from the one of several ping-pongs with the
/// least round trip, the drift from a line fitted through many offsets. Source: Hunold and Carpen-Amarie,
/// "Hierarchical clock synchronization in MPI", CLUSTER 2018 (HCA3, H2HCA), after Jones and Koenig, "Clock
/// synchronization in high-end computing environments", 2013.
class GlobalClock {
public:
    /// Collective over `comm`, which must outlive this.
    explicit GlobalClock(MPI_Comm comm);
    GlobalClock(const GlobalClock&) = delete;
    GlobalClock& operator=(const GlobalClock&) = delete;
    ~GlobalClock();

    /// Fits the clocks again where the last fit is so long ago that its line may no longer do. Collective.
    void refresh();

    /// The reading of rank 0's clock when this one shows `local`, and the other way round.
    double global(double local) const { return local + offset_ + drift_ * (local - origin_); }
    double local(double global) const;

    /// Number of different clocks, and each rank's offset and drift, for the results. Collective;
    /// the row is rank 0's.
    Row row(int run) const;

private:
    void find_groups();
    void fit();
    void learn(int teacher);
    void teach(int pupil) const;
    double exchange_as_pupil(int teacher, double& round_trip) const;

    MPI_Comm comm_;
    MPI_Comm group_ = MPI_COMM_NULL;    ///< The ranks that share this one's clock.
    MPI_Comm leaders_ = MPI_COMM_NULL;  ///< The first rank of every group; null on others.
    int groups_ = 1;
    double offset_ = 0;  ///< Seconds, at `origin_`.
    double drift_ = 0;   ///< Seconds a second.
    double origin_ = 0;
    double fitted_ = 0;      ///< The time of the last fit, by this clock.
    double round_trip_ = 0;  ///< The fit's least round trip; 0 where the clock is rank 0's own.
};

}  // namespace laneway::bench
