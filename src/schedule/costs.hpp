// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layout/layout.hpp"
#include "schedule/schedule.hpp"

/// What a schedule costs, counted from what its ranks do: no machine is in it.
namespace laneway {

/// Bytes, or messages, that go out and come in.
struct Traffic {
    std::int64_t sent = 0, received = 0;
    /// Whichever is more: links carry both at once.
    std::int64_t most() const { return sent > received ? sent : received; }
};

/// Messages of a rank to itself are none.
struct Costs {
    std::uint32_t rounds = 0;           ///< the longest chain of messages that wait for each other
    std::int64_t messages = 0;          ///< of all processes together
    std::int64_t process_messages = 0;  ///< most of a process, sent or received
    std::int64_t process_bytes = 0;     ///< the same
    std::int64_t lane_bytes = 0;        ///< through one lane of a node, most
    std::int64_t node_bytes = 0;        ///< through all lanes of a node, most
    std::int64_t inside_bytes = 0;      ///< between processes of a node, most
    std::size_t scratch_bytes = 0;      ///< temporary memory of a process, most
    std::vector<Traffic> of_lanes;      ///< bytes, by node and lane
    std::vector<std::int64_t> inside;   ///< bytes, by node
};

/// `network_lanes` of a node, of which process j uses lane j mod `network_lanes`.
Costs costs_of(const Schedule& schedule, const Layout& layout, int network_lanes);

/// The round of each message, from 1 on: one more than the latest that its sender has waited for before, sends
/// of its own among them. (Of one to itself: that latest.) Throws std::logic_error for a deadlock.
std::vector<std::uint32_t> rounds_of(const Schedule& schedule);

}  // namespace laneway
