// SPDX-License-Identifier: BSD-3-Clause
#include "switch/fabric.hpp"

#include <algorithm>
#include <utility>

namespace laneway::lanes {

Fabric::Fabric(std::size_t ports, const Pace& pace, std::int64_t full, std::int64_t room)
    : pace_(pace),
      ports_(ports),
      room_(room)
{
    for (std::size_t way = 0; way < 2 * ports; ++way)
        ways_.push_back({.lane = Lane(pace, full), .deliveries = {}});
}

bool Fabric::arrive(Time when, std::size_t from, std::size_t to, Frame frame)
{
    const auto bytes = static_cast<std::int64_t>(frame.data.size());
    if (held_ + bytes > room_) return false;
    held_ += bytes;
    most_held_ = std::max(most_held_, held_);
    ways_[from].lane.push(when, std::move(frame), static_cast<std::uint32_t>(to));
    wake(from);
    return true;
}

std::optional<Time> Fabric::next() const
{
    const Time least = std::ranges::min_element(ways_, {}, &Way::urgent)->urgent;
    return least == never ? std::nullopt : std::optional(least);
}

void Fabric::run(Time now, const Deliver& deliver)
{
    while (!events_.empty() && events_.top().when <= now) {
        const Event event = events_.top();
        events_.pop();
        Way& way = ways_[event.lane];
        if (event.delivers) {
            const Delivery delivery = std::move(way.deliveries.front());
            way.deliveries.pop_front();
            look_ahead(event.lane);
            held_ -= static_cast<std::int64_t>(delivery.frame.data.size());
            deliver(event.lane - ports_, delivery.due, delivery.frame);
        } else if (event.when == way.awake) {
            way.awake = never;
            started(event.lane, way.lane.start(event.when), event.when);
            wake(event.lane);
        }
    }
}

void Fabric::wake(std::size_t lane)
{
    Way& way = ways_[lane];
    const auto next = way.lane.next();
    if (next && *next < way.awake) {
        way.awake = *next;
        add(*next, lane, false);
    }
    look_ahead(lane);
}

/// The start of a frame need not be looked at when it comes, only before anything follows from it.
void Fabric::look_ahead(std::size_t lane)
{
    Way& way = ways_[lane];
    way.urgent = way.deliveries.empty() ? never : way.deliveries.front().due;
    if (const auto passed = way.lane.next_passed())
        way.urgent = std::min(way.urgent, *passed + (lane < ports_ ? pace_.latency : 0));
}

void Fabric::started(std::size_t lane, Lane::Started started, Time when)
{
    if (lane < ports_) {
        const std::size_t receiving = ports_ + started.token;
        ways_[receiving].lane.push(when + pace_.latency, std::move(started.frame), started.token);
        wake(receiving);
    } else {
        ways_[lane].deliveries.push_back({started.passed, std::move(started.frame)});
        add(started.passed, lane, true);
    }
}

void Fabric::add(Time when, std::size_t lane, bool delivers)
{
    events_.push({.when = when, .order = order_++, .lane = lane, .delivers = delivers});
}

}  // namespace laneway::lanes
