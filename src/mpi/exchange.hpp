// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "mpi/messages.hpp"

namespace laneway {

/// Bytes of a piece: Open MPI asks the receiver before it sends more than 64 KiB over TCP, MPICH from 17 KiB on.
constexpr std::int64_t piece_bytes = 16 << 10;

/// Messages between processes that may send to each other at the same time: long ones in pieces that libraries send
/// without asking the receiver. Its answer would wait behind the data that it sends itself, and so the two directions
/// of a lane would take turns (an exchange by halves of 4 MiB takes twice as long then). Both sides must give elements
/// of the same size.
class Exchange {
public:
    explicit Exchange(const Comm& comm) : messages_(comm) {}

    void send(const Buffer& data, int to)
    {
        for_pieces(data, [&](const Buffer& piece) { messages_.send(piece, to); });
    }
    void receive(const Buffer& data, int from)
    {
        for_pieces(data, [&](const Buffer& piece) { messages_.receive(piece, from); });
    }
    void wait() { messages_.wait(); }

private:
    template <class Body>
    static void for_pieces(const Buffer& data, const Body& body)
    {
        const std::int64_t element = std::max<std::int64_t>(1, size_of(data.type));
        const std::int64_t length = std::max<std::int64_t>(1, piece_bytes / element);
        for (std::int64_t first = 0; first < data.count; first += length)
            body(data.slice(first, std::min(length, data.count - first)));
    }

    Messages messages_;
};

}  // namespace laneway
