// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/decomposition.hpp"
#include "layout/layout.hpp"
#include "learn/lane_finder.hpp"

namespace laneway {

/// Finds, while a program runs, what the lanes of a communicator carry, and has shares follow it
/// (docs/unequal-lanes.md). Its processes do and know alike.
class Weighing {
public:
    /// Begins with the weights that all processes of the communicator know of their nodes from earlier ones. Where some
    /// know none, it begins with those that somebody `said`, by node; none: lanes are alike. `node`: the name of the
    /// calling process's node. The parts must outlive it. Collective.
    Weighing(MPI_Comm comm, Parts& parts, int network_lanes, LaneFinder::Weights said,
             std::string node);

    /// To be called at the end of a call of which all processes know that it has carried so many bytes by lanes. Now
    /// and then all meet here, and measure. Collective.
    void carried(std::int64_t bytes);

    /// The weights in words, such as `10:10,node2=10:1`, as rank 0 knows them; empty: lanes are alike.
    const std::string& words() const { return words_; }

    /// Bytes that a lane carries in a measurement, in each direction. Tests have less.
    static inline std::int64_t piece = std::int64_t{512} << 10;
    /// The times of the lanes in tests, by node, lane and number of the measurement; null: they are measured.
    static inline double (*pretended)(int node, int lane, int measurement) = nullptr;

private:
    bool has_several() const { return lanes_ > 1 && parts_.layout().nodes() > 1; }
    void begin_with_what_is_known();
    void measure();
    std::vector<double> times() const;
    std::pair<LaneFinder::Times, LaneFinder::Times> of_all(const std::vector<double>& least,
                                                           const std::vector<double>& latest) const;
    void adopt(const LaneFinder::Weights& weights);
    void put_in_words();

    MPI_Comm comm_;
    Parts& parts_;
    int lanes_;
    std::string node_;
    LaneFinder finder_;
    std::string words_;
    std::int64_t carried_ = 0;
    int measured_ = 0;
    std::deque<std::vector<double>> latest_;  ///< times of the latest measurements, by network lane
};

}  // namespace laneway
