// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <optional>

#include "switch/frame.hpp"
#include "switch/pace.hpp"

namespace laneway::lanes {

/// One direction of a lane: when which frame starts. Connections take turns, as in the adapters
/// that a cluster stands for: a turn is as long as a full frame takes.
class Lane {
public:
    /// A full frame has `full` bytes. A longer frame stands for several, and is sent as a whole.
    Lane(const Pace& pace, std::int64_t full) : pace_(pace), turn_(pace.on_wire(full)) {}

    /// Takes a frame that may start from `ready` on, behind the frames of its connection that are here. It comes out
    /// together with `token`.
    void push(Time ready, Frame frame, std::uint32_t token);

    /// The least time at which a frame may start; none: there is no frame here.
    std::optional<Time> next() const;

    /// The least time at which the last bit of a frame that is here may have passed.
    std::optional<Time> next_passed() const;

    /// A frame that has started.
    struct Started {
        Frame frame;
        std::uint32_t token;
        Time passed;  ///< The time when its last bit has passed.
    };

    /// Starts the frame whose turn it is; `now` is not before next().
    Started start(Time now);

private:
    struct Waiting {
        Time ready;
        std::uint32_t token;
        Frame frame;
    };
    struct Connection {
        std::uint64_t id;
        Time credit;  ///< The time that is left of its turn.
        std::deque<Waiting> frames;
    };

    Time earliest(const Waiting& frame) const;
    Started take(std::list<Connection>::iterator from, Time now);

    Pace pace_;
    Time turn_;
    Time free_ = 0;                      ///< The time when the wire is free for any frame.
    Time message_free_ = 0;              ///< A gap after the start of the last message.
    std::list<Connection> connections_;  ///< Connections with frames; the first has the turn.
};

}  // namespace laneway::lanes
