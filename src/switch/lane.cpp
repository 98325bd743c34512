// SPDX-License-Identifier: BSD-3-Clause
#include "switch/lane.hpp"

#include <algorithm>
#include <utility>

namespace laneway::lanes {

void Lane::push(Time ready, Frame frame, std::uint32_t token)
{
    const std::uint64_t id = frame.facts.connection;
    auto found = std::ranges::find(connections_, id, &Connection::id);
    if (found == connections_.end())
        found = connections_.insert(connections_.end(), {.id = id, .credit = turn_, .frames = {}});
    found->frames.push_back({ready, token, std::move(frame)});
}

Time Lane::earliest(const Waiting& frame) const
{
    const Time free = frame.frame.facts.message ? std::max(free_, message_free_) : free_;
    return std::max(frame.ready, free);
}

std::optional<Time> Lane::next() const
{
    std::optional<Time> least;
    for (const Connection& each : connections_)
        least = std::min(earliest(each.frames.front()), least.value_or(INT64_MAX));
    return least;
}

std::optional<Time> Lane::next_passed() const
{
    std::optional<Time> least;
    for (const Connection& each : connections_) {
        const Waiting& first = each.frames.front();
        least = std::min(earliest(first) + pace_.passing(first.frame.facts.size),
                         least.value_or(INT64_MAX));
    }
    return least;
}

Lane::Started Lane::start(Time now)
{
    for (;;) {
        const auto first = connections_.begin();
        const bool may = earliest(first->frames.front()) <= now;
        if (may && first->credit > 0) return take(first, now);
        if (may) first->credit += turn_;
        connections_.splice(connections_.end(), connections_, first);
    }
}

Lane::Started Lane::take(std::list<Connection>::iterator from, Time now)
{
    Waiting taken = std::move(from->frames.front());
    from->frames.pop_front();
    const auto& [size, message, _] = taken.frame.facts;

    free_ = now + pace_.passing(size);
    if (message) message_free_ = now + pace_.to_last(size) + pace_.gap;
    from->credit -= std::max(free_, message ? message_free_ : 0) - now;
    if (from->frames.empty()) connections_.erase(from);
    return {std::move(taken.frame), taken.token, free_};
}

}  // namespace laneway::lanes
