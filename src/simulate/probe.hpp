// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "patterns/neighbours.hpp"
#include "simulate/arguments.hpp"
#include "simulate/record.hpp"

namespace laneway::simulate {

/// The benchmarks of Traeff and Hunold 2020, Section 2.
struct Probe {
    enum class Pattern {
        /// The first processes of each node send and receive equal parts of `count` ints, again and again, as
        /// `between` says. A process with a part of its own waits for nobody else.
        lanes,
        /// The first lanes carry out a collective of the library's at the same time, once.
        collectives,
    };
    Pattern pattern;
    int virtual_lanes;   ///< how many processes of a node take part
    std::int64_t count;  ///< ints of a node; for collectives, of a process, to all others together
    int repetitions;     ///< repetitions of the first pattern
    const NodePattern* between;  ///< which nodes it is between
    std::string collective;      ///< the collective of the second pattern
};

/// A benchmark that is called as `job`.
Probe probe_of(const Arguments& arguments, const Job& job);

/// The schedule of a probe. Throws Misunderstood.
Recorded record(const Probe& probe, const Job& on);

}  // namespace laneway::simulate
