// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "mpi/messages.hpp"
#include "mpi/recording.hpp"

namespace laneway {

/// Bytes of a piece: Open MPI asks the receiver before it sends more than 64 KiB over TCP, MPICH from somewhere above 16 KiB on.
constexpr std::int64_t piece_bytes = 16 << 10;

/// Messages between processes that may send to each other at the same time: long ones in pieces that libraries send
/// without asking the receiver. Its answer would wait behind the data that it sends itself, and so the two directions
/// of a lane would take turns (an exchange by halves of 4 MiB takes twice as long then). Both sides must give elements
/// of the same size. On a node messages stay whole: there nothing waits behind them.
class Exchange {
public:
    explicit Exchange(const Comm& comm)
        : piece_bytes_(comm.within_node() ? std::numeric_limits<std::int64_t>::max() : piece_bytes),
          messages_(comm)
    {
    }

    void send(const Buffer& data, int to) { begin({data, to, true}); }
    void receive(const Buffer& data, int from) { begin({data, from, false}); }

    void wait()
    {
        messages_.wait();
        while (!legs_.empty()) {
            for (Leg& leg : legs_) advance(leg);
            messages_.wait();
            std::erase_if(legs_, [](const Leg& leg) { return leg.done == leg.data.count; });
        }
    }

private:
    /// Pieces of a message under way at once: who is late must not find all of a long one in the library's memory.
    static constexpr std::int64_t window = 64;

    struct Leg {
        Buffer data;
        int peer;
        bool leaves;
        std::int64_t done = 0;  ///< elements
    };

    void begin(Leg leg)
    {
        advance(leg);
        if (leg.done < leg.data.count) legs_.push_back(leg);
    }

    /// Elements of a piece. Where they are recorded, all are under way at once, as waiting for room is no round of an
    /// algorithm: of a long message, they are longer.
    std::int64_t length(const Buffer& data) const
    {
        const std::int64_t element = std::max<std::int64_t>(1, size_of(data.type));
        const std::int64_t shortest = std::max<std::int64_t>(1, piece_bytes_ / element);
        if (!Recording::current()) return shortest;
        return std::max(shortest, (data.count + window - 1) / window);
    }

    /// By a window of pieces.
    void advance(Leg& leg)
    {
        const std::int64_t length = this->length(leg.data);
        for (std::int64_t piece = 0; piece < window && leg.done < leg.data.count; ++piece) {
            const std::int64_t count = std::min(length, leg.data.count - leg.done);
            const Buffer part = leg.data.slice(leg.done, count);
            leg.leaves ? messages_.send(part, leg.peer) : messages_.receive(part, leg.peer);
            leg.done += count;
        }
    }

    std::int64_t piece_bytes_;
    std::vector<Leg> legs_;  ///< that are not under way as a whole
    Messages messages_;
};

}  // namespace laneway
