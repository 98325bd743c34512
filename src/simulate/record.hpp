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
    std::string
        algorithm;       ///< `lane_pipeline(segment=32K)`; `native`: what the library serves it by
    std::int64_t count;  ///< as in the MPI call; of a vector collective, of the mean block
    MPI_Datatype type;
    int root;
    /// Components send few bytes (chains, rings, parts of messages) instead of needing few rounds.
    bool saves_bytes;
    std::string library =
        {};  ///< the profile of one, whose collectives components are; empty: of none
    bool short_too = true;  ///< such components are the library's where they are short, too
    /// What requires elements to share out serves without, too: with empty shares.
    bool empty_shares = false;
    std::shared_ptr<const Layout> layout;
    BlockLayout blocks = {};  ///< of a vector collective
};

struct Recorded {
    std::int64_t bytes;                     ///< of the call's count
    std::optional<Crossing> crossing = {};  ///< of a vector collective
    std::int64_t buffers = 0;  ///< bytes of the caller's buffers, on the rank that has most
    Schedule schedule;
    /// Another algorithm serves the call where the one asked for cannot; empty: none does.
    std::string served_by;
    std::string needs;               ///< then, what it requires
    std::vector<std::string> rules;  ///< of the library's profile, that have decided
};

/// What all ranks do, recorded rank after rank. `progress` is told now and then which part is done. Throws
/// Misunderstood for names that there are none of.
Recorded record(const Job& job, const std::function<void(double part)>& progress = {});

}  // namespace laneway::simulate
