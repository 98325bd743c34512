// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layout/layout.hpp"
#include "schedule/schedule.hpp"

/// The costs of a schedule, counted from what its ranks do: no machine is in them.
namespace laneway {

/// Bytes, or messages, that go out and come in.
struct Traffic {
    std::int64_t sent = 0, received = 0;
    /// The larger of both: links carry both at once.
    std::int64_t most() const { return sent > received ? sent : received; }
};

/// The costs of a schedule. Messages of a rank to itself don't count.
struct Costs {
    std::uint32_t rounds = 0;           ///< the longest chain of messages that wait for each other
    std::uint32_t unit_steps = 0;       ///< steps of the k-lane model
    std::int64_t messages = 0;          ///< messages of all processes together
    std::int64_t process_messages = 0;  ///< most messages of a process, sent or received
    std::int64_t process_bytes = 0;     ///< most bytes of a process, sent or received
    std::int64_t lane_bytes = 0;        ///< most bytes through one lane of a node
    std::int64_t node_bytes = 0;        ///< most bytes through all lanes of a node
    std::int64_t inside_bytes = 0;      ///< most bytes between processes of a node
    std::size_t scratch_bytes = 0;      ///< most bytes of a process's temporary memory
    std::vector<Traffic> of_lanes;      ///< bytes, by node and lane
    std::vector<std::int64_t> inside;   ///< bytes, by node
};

/// The costs on nodes with `network_lanes` lanes, of which process j uses lane j mod `network_lanes`.
Costs costs_of(const Schedule& schedule, const Layout& layout, int network_lanes);

}  // namespace laneway
