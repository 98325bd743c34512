// SPDX-License-Identifier: BSD-3-Clause
#include "steps.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>
#include <tuple>

namespace laneway::trace {
namespace {

struct Process {
    std::size_t done = 0;  ///< events
    int heard = 0;         ///< the latest step of a message that it has received
    int lane_busy = 0;     ///< the latest step in which it sends to another node
    std::map<std::pair<int, std::int64_t>, int> node_busy = {};  ///< by peer and channel
};

}  // namespace

std::vector<Message> in_steps(const std::vector<std::vector<Event>>& by_rank,
                              const std::vector<int>& node_of)
{
    std::vector<Process> processes(by_rank.size());
    std::map<std::tuple<int, int, std::int64_t>, std::deque<int>> under_way;  // steps
    std::vector<Message> messages;

    const auto send = [&](int rank, const Event& event) {
        Process& process = processes[static_cast<std::size_t>(rank)];
        const int peer = static_cast<int>(event.peer);
        const bool leaves =
            node_of[static_cast<std::size_t>(rank)] != node_of[static_cast<std::size_t>(peer)];
        int& busy = leaves ? process.lane_busy : process.node_busy[{peer, event.channel}];
        busy = std::max(busy, process.heard) + 1;
        messages.push_back({rank, peer, event.bytes, busy});
        under_way[{rank, peer, event.channel}].push_back(busy);
    };
    /// False where the message has not been sent yet.
    const auto receive = [&](int rank, const Event& event) {
        auto& channel = under_way[{static_cast<int>(event.peer), rank, event.channel}];
        if (channel.empty()) return false;
        int& heard = processes[static_cast<std::size_t>(rank)].heard;
        heard = std::max(heard, channel.front());
        channel.pop_front();
        return true;
    };

    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
            std::size_t& done = processes[rank].done;
            for (; done < by_rank[rank].size(); ++done, moved = true) {
                const Event& event = by_rank[rank][done];
                if (event.is_send)
                    send(static_cast<int>(rank), event);
                else if (!receive(static_cast<int>(rank), event))
                    break;
            }
        }
    }
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank)
        if (processes[rank].done < by_rank[rank].size())
            throw std::logic_error("a message is awaited that was never sent");
    return messages;
}

}  // namespace laneway::trace
