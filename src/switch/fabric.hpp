// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "switch/frame.hpp"
#include "switch/lane.hpp"
#include "switch/pace.hpp"

namespace laneway::lanes {

/// All lanes of a cluster: which frame arrives when. The fabric has no clock and no sockets; it is told the times.
///
/// The bytes that it holds are bounded by what nodes have under way: TCP never has more than a window on a
/// connection. Programs that use something else are stopped by `room`.
class Fabric {
public:
    /// A fabric of `ports` lanes of nodes. Connections take turns as long as a frame of `full` bytes; frames that are
    /// under way have `room` bytes at most.
    Fabric(std::size_t ports, const Pace& pace, std::int64_t full, std::int64_t room);

    /// A frame came from a node at `when`, for the node behind another port. False where there is no
    /// room for it.
    bool arrive(Time when, std::size_t from, std::size_t to, Frame frame);

    /// The time until which run() has nothing to deliver; none: nothing is under way.
    std::optional<Time> next() const;

    /// The least time until a frame that comes from now on arrives.
    Time soonest() const { return pace_.latency + pace_.on_wire(shortest); }

    /// A frame arrives at the node behind port `to`: its last bit did at `due`.
    using Deliver = std::function<void(std::size_t to, Time due, const Frame& frame)>;

    /// Has everything happen up to `now`.
    void run(Time now, const Deliver& deliver);

    /// Bytes of frames that are under way.
    std::int64_t held() const { return held_; }
    std::int64_t most_held() const { return most_held_; }

private:
    static constexpr Time never = INT64_MAX;

    struct Event {
        Time when;
        std::uint64_t order;  ///< Events at one time happen in this order.
        std::size_t lane;
        bool delivers;

        auto operator<=>(const Event& other) const = default;
    };
    struct Delivery {
        Time due;
        Frame frame;
    };
    struct Way {
        Lane lane;
        Time awake = never;               ///< Time of the event that counts; others were overtaken.
        Time urgent = never;              ///< Nothing of this lane arrives before.
        std::deque<Delivery> deliveries;  ///< Frames of a receiving lane, in their order.
    };

    void wake(std::size_t lane);
    void look_ahead(std::size_t lane);
    void started(std::size_t lane, Lane::Started started, Time when);
    void add(Time when, std::size_t lane, bool delivers);

    Pace pace_;
    std::size_t ports_;
    std::int64_t room_;
    std::int64_t held_ = 0, most_held_ = 0;
    std::vector<Way> ways_;  ///< First the lanes of all ports that send, then those that receive.
    std::uint64_t order_ = 0;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace laneway::lanes
