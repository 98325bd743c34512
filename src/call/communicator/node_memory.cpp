// SPDX-License-Identifier: BSD-3-Clause
#include "call/communicator/node_memory.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "library/threads.hpp"
#include "machine/device.hpp"
#include "machine/processors.hpp"
#include "messages/messages.hpp"
#include "node/channel.hpp"
#include "node/joint_copy.hpp"
#include "node/shared_memory.hpp"

namespace laneway {
namespace {

/// Bytes of channels that a process maps at most: communicators beyond keep to the library. Unused bytes take no
/// memory.
constexpr std::size_t held_at_most = 256 << 20;

/// The answer of a process that has looked for the memory.
struct Answer {
    std::int64_t has_it = 0;
    std::array<std::uint64_t, 128>
        processors{};  ///< those that it may run on, a bit each; none: it doesn't know
};

/// The place where others find a copy of numbers that all know.
struct Address {
    std::int64_t process = 0;
    std::uint64_t address = 0;
};

struct Outcome {
    std::int64_t works = 0;
    std::int64_t is_crowded = 0;
};

template <class Value>
Buffer bytes_of(const Value& value)
{
    return Buffer::of(const_cast<Value*>(&value), sizeof value, MPI_BYTE);
}

/// The calling process's answer. Not on the stack, of which threads may have little.
std::unique_ptr<Answer> answer(bool has_it)
{
    auto mine = std::make_unique<Answer>();
    mine->has_it = has_it;
    for (const int one : own_processors())
        if (const auto word = static_cast<std::size_t>(one / 64); word < mine->processors.size())
            mine->processors[word] |= std::uint64_t{1} << (one % 64);
    return mine;
}

Outcome concluded(std::vector<Answer>& answers)
{
    Answer& all = answers.front();
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

/// A star: each process sends values to the first one, which answers all alike.
class Star {
public:
    explicit Star(const Comm& comm) : comm_(comm), messages_(comm) {}

    /// The values of all processes, on the first one; nothing elsewhere.
    template <class Value>
    std::vector<Value> gather(const Value& mine)
    {
        std::vector<Value> all(is_first() ? static_cast<std::size_t>(comm_.size()) : 0);
        if (!is_first()) messages_.send(bytes_of(mine), 0);
        for (int rank = 1; is_first() && rank < comm_.size(); ++rank)
            messages_.receive(bytes_of(all[static_cast<std::size_t>(rank)]), rank);
        messages_.wait();
        if (is_first()) all.front() = mine;
        return all;
    }

    template <class Value>
    void spread(Value* values, std::size_t count)
    {
        const Buffer data =
            Buffer::of(values, static_cast<std::int64_t>(count * sizeof(Value)), MPI_BYTE);
        if (!is_first()) messages_.receive(data, 0);
        for (int rank = 1; is_first() && rank < comm_.size(); ++rank) messages_.send(data, rank);
        messages_.wait();
    }

    bool is_first() const { return comm_.rank() == 0; }

private:
    const Comm& comm_;
    Messages messages_;
};

/// The processes' ids, where each can enter each other one's memory; else none. `known` is the same on all.
std::vector<pid_t> enterable(Star& star, const Comm& node,
                             const std::array<std::uint64_t, 2>& known)
{
    const auto size = static_cast<std::size_t>(node.size());
    const Address own{getpid(), reinterpret_cast<std::uintptr_t>(known.data())};
    std::vector<Address> addresses = star.gather(own);
    addresses.resize(size);
    star.spread(addresses.data(), size);
    const auto may_enter = [&](const Address& one) {
        return JointCopy::may_enter(static_cast<pid_t>(one.process), one.address, known.data(),
                                    sizeof known);
    };
    const std::vector<int> outcomes =
        star.gather(static_cast<int>(std::ranges::all_of(addresses, may_enter)));
    int all = star.is_first() && std::ranges::all_of(outcomes, std::identity());
    star.spread(&all, 1);
    std::vector<pid_t> ids;
    for (const Address& one : addresses)
        if (all) ids.push_back(static_cast<pid_t>(one.process));
    return ids;
}

/// The channel of a node; null: there is none.
std::shared_ptr<NodeChannel> open_channel(const Comm& node)
{
    if (node.size() < 2 || node.size() > NodeChannel::most) return nullptr;
    Star star(node);
    const bool may = !uses_devices() && SharedMemory::held() < held_at_most;
    SharedMemory memory;
    if (star.is_first() && may) memory = SharedMemory::create(NodeChannel::bytes(node.size()));
    SharedMemory::Name name = memory.name();
    star.spread(&name, 1);
    if (!star.is_first() && may && name.bytes > 0) memory = SharedMemory::open(name);
    std::vector<Answer> answers = star.gather(*answer(memory.start() != nullptr));
    Outcome outcome = star.is_first() ? concluded(answers) : Outcome{};
    star.spread(&outcome, 1);
    memory.close();
    if (!outcome.works) return nullptr;
    std::vector<pid_t> ids = enterable(star, node, name.random);
    const auto channel = std::make_shared<NodeChannel>(std::move(memory), node.size(), node.rank(),
                                                       outcome.is_crowded != 0, std::move(ids));
    if (!may_ever_call_in_threads()) channel->use_in_one_thread();
    return channel;
}

}  // namespace

void share_memory(Parts& parts)
{
    if (const auto channel = open_channel(parts.node)) parts.attach(channel);
}

void mind_devices(const Parts& parts)
{
    const Comm& node = parts.node;
    NodeChannel* const channel = node.channel();
    if (channel && uses_devices_by_now()) channel->pack_all();
}

}  // namespace laneway
