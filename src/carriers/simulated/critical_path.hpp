// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "carriers/simulated/simulated.hpp"

namespace laneway {

/// What the time of a simulated call went to: its critical path, walked back from the rank that ended last. At
/// each place the path goes on with what that had to wait for last, so the times of all causes add up to the whole.
struct CriticalPath {
    enum Cause : std::uint8_t {
        lane,       ///< bytes on a lane, and messages before them there
        link,       ///< links between lanes that held messages back
        latency,    ///< of lanes, links and nodes
        node,       ///< bytes inside a node, and messages before them
        handshake,  ///< of long messages
        overhead,   ///< of a rank, for messages that it sends and receives
        reduce,
        copy,
        pack,
        causes,
    };
    static constexpr std::array<const char*, causes> names{
        "lane", "link", "latency", "node", "handshake", "overhead", "reduce", "copy", "pack"};

    std::array<Time, causes> time{};
    int rank = 0;             ///< that ended last
    std::uint32_t steps = 0;  ///< steps and messages on the path
};

/// Of a simulation that has run with that trace.
CriticalPath critical_path_of(const Schedule& schedule, const Layout& layout,
                              const Machine& machine, const Trace& trace,
                              const Simulated& simulated);

}  // namespace laneway
