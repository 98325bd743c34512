// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cases/case.hpp"
#include "node/channel.hpp"

/// Both ends of a channel in one process, for the tests.
namespace laneway::node_pair {

/// Two processes, each with a mapping of its own; `enters`: the system lets them into each other's memory.
struct Two {
    explicit Two(bool enters = false)
        : Two(std::vector<pid_t>(enters ? 2 : 0, getpid()),
              std::vector<pid_t>(enters ? 2 : 0, getpid()))
    {
    }
    /// Whose memory each of them enters.
    Two(std::vector<pid_t> of_a, std::vector<pid_t> of_b)
    {
        SharedMemory memory = SharedMemory::create(NodeChannel::bytes(2));
        SharedMemory other = SharedMemory::open(memory.name());
        TRUE(memory.start() && other.start());
        a.emplace(std::move(memory), 2, 0, false, std::move(of_a));
        b.emplace(std::move(other), 2, 1, false, std::move(of_b));
    }

    /// Until nothing moves any more.
    void go_on()
    {
        while (a->progress() || b->progress()) {
        }
    }

    std::optional<NodeChannel> a, b;
};

using Bytes = std::vector<unsigned char>;

/// Bytes that differ from place to place, and from one `seed` to another.
inline Bytes data(std::size_t length, unsigned seed)
{
    Bytes made(length);
    for (std::size_t at = 0; at < length; ++at)
        made[at] = static_cast<unsigned char>(at * 7 + at / 251 + seed * 31);
    return made;
}

inline Elements elements(Bytes& bytes)
{
    return {bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, MPI_COMM_WORLD};
}

inline NodeMessage* send(NodeChannel& by, int to, Bytes& bytes, int tag, std::uint16_t context = 0)
{
    NodeMessage* message = nullptr;
    EQUAL(by.send(elements(bytes), to, context, tag, &message), MPI_SUCCESS);
    return message;
}

inline NodeMessage* receive(NodeChannel& by, int from, Bytes& bytes, int tag,
                            std::uint16_t context = 0)
{
    NodeMessage* message = nullptr;
    EQUAL(by.receive(elements(bytes), from, context, tag, &message), MPI_SUCCESS);
    return message;
}

inline bool is_over(const NodeMessage* message) { return !message || message->done.load(); }

inline void finish(NodeChannel& by, NodeMessage* message, int expected = MPI_SUCCESS)
{
    TRUE(is_over(message));
    if (message) EQUAL(by.finish(message), expected);
}

}  // namespace laneway::node_pair
