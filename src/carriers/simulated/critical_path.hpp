// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "carriers/simulated/simulated.hpp"

namespace laneway {

/// The causes that the time of a simulated call went to: its critical path, walked back from the rank that ended last.
/// Each place of the path is followed by the one that it had to wait for last. So the times of all causes add up to the
/// whole.
struct CriticalPath {
    enum Cause : std::uint8_t {
        lane,       ///< bytes on a lane, and messages before them there
        link,       ///< links between lanes that held messages back
        latency,    ///< latencies of lanes, links and nodes
        node,       ///< bytes inside a node, and messages before them
        handshake,  ///< handshakes of long messages
        overhead,   ///< work of a rank, for messages that it sends and receives
        reduce,
        copy,
        pack,
        causes,
    };
    static constexpr std::array<const char*, causes> names{
        "lane", "link", "latency", "node", "handshake", "overhead", "reduce", "copy", "pack"};

    std::array<Time, causes> time{};
    int rank = 0;             ///< the rank that ended last
    std::uint32_t steps = 0;  ///< steps and messages on the path
};

/// The critical path of a simulation that has run with that trace.
CriticalPath critical_path_of(const Schedule& schedule, const Layout& layout,
                              const Machine& machine, const Trace& trace,
                              const Simulated& simulated);

}  // namespace laneway
