// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "data/recording.hpp"
#include "data/stretches.hpp"
#include "messages/messages.hpp"

namespace laneway {

/// Bytes of a piece. Open MPI asks the receiver before it sends more than 64 KiB over TCP, MPICH from somewhere above
/// 16 KiB on.
constexpr std::int64_t piece_bytes = 16 << 10;

/// Bytes of a piece on a node. Messages stay whole there, as nothing waits behind them, up to the bytes that MPI_Pack
/// counts before MPI 4.
constexpr std::int64_t piece_bytes_within_node = 1 << 30;

/// Bytes of a piece on a node where data are passed on. The channel of a node of few processes takes as many at once.
constexpr std::int64_t passed_on_within_node = 64 << 10;

/// Bytes below which messages between two processes that are alone come in such pieces, too. Both rings stay in their
/// caches, where copies into them and out of them take less than the system's from memory to memory. Longer messages,
/// and rings of more processes, do not stay there.
constexpr std::int64_t by_rings_below = 1 << 20;

/// Elements that `bytes` hold; at least one.
inline std::int64_t elements_in(std::int64_t bytes, MPI_Datatype type)
{
    return std::max<std::int64_t>(1, bytes / std::max<std::int64_t>(1, size_of(type)));
}

/// Elements of a piece.
inline std::int64_t piece_length(MPI_Datatype type, const Comm& comm)
{
    return elements_in(comm.within_node() ? piece_bytes_within_node : piece_bytes, type);
}

/// Messages between processes that may send to each other at the same time. Long ones go in pieces that libraries send
/// without asking the receiver. The receiver's answer would wait behind the data that it sends itself. So the two
/// directions of a lane would take turns (an exchange by halves of 4 MiB takes twice as long then). Both sides must
/// give elements of the same size, in stretches of their own. The first of two long messages from one process to
/// another one must be waited for before the second begins. How many pieces a turn has is each side's own affair.
class Exchange {
public:
    explicit Exchange(const Comm& comm) : comm_(comm), messages_(comm) {}

    void send(const Buffer& data, int to) { begin(data, to, true); }
    void receive(const Buffer& data, int from) { begin(data, from, false); }
    void send(const Stretches& data, int to) { begin(data, to, true); }
    void receive(const Stretches& data, int from) { begin(data, from, false); }

    /// All long messages go on in turns, a few pieces of each. While the pieces of one turn are under way, those of the
    /// turn before are waited for. So a lane carries as much of each message to the end, also where many meet.
    /// (Processes never wait in a circle: the one whose turn ends earliest finds the pieces begun that it waits for.)
    void wait()
    {
        while (!legs_.empty()) {
            const int turn = std::max(1, window / 2 / static_cast<int>(legs_.size()));
            std::size_t begun = 0;
            for (Leg& leg : legs_) begun += advance(leg, turn);
            messages_.wait(begun);
            std::erase_if(legs_, [](const Leg& leg) { return leg.is_done(); });
        }
        messages_.wait();
        types_.clear();
    }

private:
    /// Pieces under way at once, in two turns. A process that is late must not find all of a long message in the
    /// library's memory.
    static constexpr int window = 64;

    /// A message that is not under way as a whole.
    struct Leg {
        Stretches data;
        int peer;
        bool leaves;
        std::int64_t done = 0;  ///< elements

        bool is_done() const { return done == data.count(); }
    };

    void begin(const Buffer& data, int peer, bool leaves)
    {
        if (data.count <= length(data.count, data.type)) return message(data, peer, leaves);
        Stretches all(data);
        all.add(0, data.count);
        begin(all, peer, leaves);
    }

    void begin(const Stretches& data, int peer, bool leaves)
    {
        Leg leg{data, peer, leaves};
        advance(leg, Recording::current() ? window : 1);
        if (!leg.is_done()) legs_.push_back(std::move(leg));
    }

    /// Elements of a piece. Where pieces are recorded, all are under way at once, as waiting for room is no round of an
    /// algorithm. So those of a long message are longer.
    std::int64_t length(std::int64_t count, MPI_Datatype type) const
    {
        const bool by_rings = comm_.size() == 2 && comm_.within_node() &&
                              comm_.goes_by_channel(1 - comm_.rank()) &&
                              count * std::max<std::int64_t>(1, size_of(type)) < by_rings_below;
        const std::int64_t shortest =
            by_rings ? elements_in(passed_on_within_node, type) : piece_length(type, comm_);
        if (!Recording::current()) return shortest;
        return std::max(shortest, (count + window - 1) / window);
    }

    /// Begins so many pieces, or as many as are left; returns how many.
    std::size_t advance(Leg& leg, int most)
    {
        std::int64_t length = this->length(leg.data.count(), leg.data.type());
        // The last piece is shorter: it never passes for one of a longer message.
        while (leg.data.count() > length && leg.data.count() % length == 0) ++length;
        int pieces = 0;
        for (; pieces < most && !leg.is_done(); ++pieces) {
            const std::int64_t count = std::min(length, leg.data.count() - leg.done);
            auto [part, type] = leg.data.slice(leg.done, count);
            message(part, leg.peer, leg.leaves);
            if (type) types_.push_back(std::move(*type));
            leg.done += count;
        }
        return static_cast<std::size_t>(pieces);
    }

    void message(const Buffer& data, int peer, bool leaves)
    {
        leaves ? messages_.send(data, peer) : messages_.receive(data, peer);
    }

    const Comm& comm_;
    std::vector<Leg> legs_;
    std::vector<Datatype> types_;  ///< the types of pieces under way
    Messages messages_;
};

}  // namespace laneway
