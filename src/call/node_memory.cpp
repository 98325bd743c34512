// SPDX-License-Identifier: BSD-3-Clause
#include "call/node_memory.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "choose/device.hpp"
#include "choose/node.hpp"
#include "mpi/messages.hpp"
#include "mpi/node_channel.hpp"
#include "mpi/shared_memory.hpp"

namespace laneway {
namespace {

/// Bytes of channels that a process maps at most: communicators beyond keep to the library. What is not used takes no
/// memory.
constexpr std::size_t held_at_most = 128 << 20;

/// What a process says when it has looked for the memory.
struct Answer {
    std::int64_t has_it = 0;
    std::array<std::uint64_t, 128>
        processors{};  ///< that it may run on, a bit each; none: it doesn't know
};

struct Outcome {
    std::int64_t works = 0;
    std::int64_t is_crowded = 0;
};

template <class Value>
Buffer bytes_of(Value& value)
{
    return Buffer::of(&value, sizeof value, MPI_BYTE);
}

Answer answer(bool has_it)
{
    Answer mine{.has_it = has_it};
    for (const int one : own_processors())
        if (const auto word = static_cast<std::size_t>(one / 64); word < mine.processors.size())
            mine.processors[word] |= std::uint64_t{1} << (one % 64);
    return mine;
}

Outcome concluded(const std::vector<Answer>& answers)
{
    Answer all = answers.front();
    for (const Answer& one : answers) {
        all.has_it = all.has_it && one.has_it;
        for (std::size_t word = 0; word < all.processors.size(); ++word)
            all.processors[word] |= one.processors[word];
    }
    const int processors =
        std::accumulate(all.processors.begin(), all.processors.end(), 0,
                        [](int sum, std::uint64_t word) { return sum + std::popcount(word); });
    return {all.has_it, std::cmp_less(processors, answers.size())};
}

}  // namespace

std::shared_ptr<NodeChannel> open_node_channel(const Comm& node)
{
    if (node.size() < 2 || node.size() > NodeChannel::most) return nullptr;
    const bool may = !uses_devices() && SharedMemory::held() < held_at_most;
    SharedMemory memory;
    SharedMemory::Name name{};
    Outcome outcome;
    Messages messages(node);
    constexpr int leader = 0;
    const auto all = [&](const auto& body) {
        for (int rank = 1; rank < node.size(); ++rank) body(rank);
        messages.wait();
    };
    if (node.rank() == leader) {
        if (may) memory = SharedMemory::create(NodeChannel::bytes(node.size()));
        name = memory.name();
        all([&](int rank) { messages.send(bytes_of(name), rank); });
        std::vector<Answer> answers(static_cast<std::size_t>(node.size()));
        answers.front() = answer(memory.start() != nullptr);
        all([&](int rank) {
            messages.receive(bytes_of(answers[static_cast<std::size_t>(rank)]), rank);
        });
        outcome = concluded(answers);
        all([&](int rank) { messages.send(bytes_of(outcome), rank); });
        memory.close();
    } else {
        messages.receive(bytes_of(name), leader);
        messages.wait();
        if (may && name.bytes > 0) memory = SharedMemory::open(name);
        Answer mine = answer(memory.start() != nullptr);
        messages.send(bytes_of(mine), leader);
        messages.receive(bytes_of(outcome), leader);
        messages.wait();
    }
    if (!outcome.works) return nullptr;
    return std::make_shared<NodeChannel>(std::move(memory), node.size(), node.rank(),
                                         outcome.is_crowded != 0);
}

}  // namespace laneway
