// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "decomposition/decomposition.hpp"
#include "layout/layout.hpp"
#include "learn/lane_finder.hpp"

namespace laneway {

/// Finds, while a program runs, what the lanes of a communicator carry, and has shares follow it
/// (docs/unequal-lanes.md). Its processes do and know alike.
class Weighing {
public:
    /// The parts must outlive it. Local.
    Weighing(MPI_Comm comm, Parts& parts, const NetworkLanes& lanes);

    /// To be called at the end of a call of which all processes know that it has carried so many bytes by lanes. Now
    /// and then all meet here, and measure. Collective.
    void carried(std::int64_t bytes);

    /// Bytes that a lane carries in a measurement, in each direction. Tests have less.
    static inline std::int64_t piece = std::int64_t{512} << 10;
    /// The times of the lanes in tests, by lane and number of the measurement; null: they are measured.
    static inline double (*pretended)(int lane, int measurement) = nullptr;

private:
    void measure();
    std::vector<double> times() const;

    MPI_Comm comm_;
    Parts& parts_;
    int lanes_;
    LaneFinder finder_;
    std::int64_t carried_ = 0;
    int measured_ = 0;
    std::deque<std::vector<double>> latest_;  ///< times of the latest measurements, by network lane
};

}  // namespace laneway
