// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blocks/crossing.hpp"
#include "blocks/layouts.hpp"
#include "layout/layout.hpp"
#include "schedule/schedule.hpp"

namespace laneway::simulate {

/// A collective call by an algorithm, on a layout.
struct Job {
    std::string collective;
    std::string algorithm;  ///< `lane_pipeline(segment=32K)`; `native`: the library's choice
    std::int64_t count;  ///< the count in the MPI call; in a vector collective, of the mean block
    MPI_Datatype type;
    int root;
    /// Whether components send few bytes (chains, rings, parts of messages) instead of needing few rounds.
    bool saves_bytes;
    std::string library = {};  ///< profile of the library that serves components; empty: none
    bool short_too = true;     ///< whether short components are the library's, too
    /// Whether algorithms that require elements to share out serve without, too: with empty shares.
    bool empty_shares = false;
    std::shared_ptr<const Layout> layout;
    BlockLayout blocks = {};  ///< blocks of a vector collective
};

struct Recorded {
    std::int64_t bytes;                     ///< bytes of the call's count
    std::optional<Crossing> crossing = {};  ///< crossing of a vector collective
    std::int64_t buffers = 0;  ///< bytes of the caller's buffers, on the rank that has most
    Schedule schedule;
    /// The algorithm that serves the call where the one asked for cannot; empty: no other does.
    std::string served_by;
    std::string needs;               ///< then, the requirements of the one asked for
    std::vector<std::string> rules;  ///< rules of the library's profile that have decided
};

/// Records the work of all ranks, rank after rank. `progress` is told now and then which part is done. Throws
/// Misunderstood for unknown names.
Recorded record(const Job& job, const std::function<void(double part)>& progress = {});

}  // namespace laneway::simulate
