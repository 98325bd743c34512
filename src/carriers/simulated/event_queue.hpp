// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "carriers/simulated/machine.hpp"

namespace laneway {

/// Events by their time. None comes before the event that was taken last. A radix heap makes use of that: an
/// event moves to another place some few times, whatever the number of events is. (Ahuja, Mehlhorn, Orlin,
/// Tarjan, "Faster algorithms for the shortest path problem", 1990.) Events of one time leave in the order in
/// which they came.
class EventQueue {
public:
    struct Event {
        Time time;
        std::uint32_t about;
        std::uint32_t kind;
    };

    bool empty() const { return size_ == 0; }

    void push(const Event& event)
    {
        buckets_[place(event.time)].push_back(event);
        ++size_;
    }

    /// Takes the earliest event. There is one.
    Event pop()
    {
        if (taken_ == buckets_[0].size()) refill();
        --size_;
        return buckets_[0][taken_++];
    }

private:
    /// The bucket of a time, by the highest bit in which it differs from the time now.
    std::size_t place(Time time) const
    {
        return static_cast<std::size_t>(std::bit_width(time ^ now_));
    }

    void refill()
    {
        buckets_[0].clear();
        taken_ = 0;
        std::size_t lowest = 1;
        while (buckets_[lowest].empty()) ++lowest;
        now_ = std::ranges::min(buckets_[lowest], {}, &Event::time).time;
        for (const Event& event : buckets_[lowest]) buckets_[place(event.time)].push_back(event);
        buckets_[lowest].clear();
    }

    std::array<std::vector<Event>, 65> buckets_;
    Time now_ = 0;
    std::size_t taken_ = 0;  ///< events of now that were taken
    std::size_t size_ = 0;
};

}  // namespace laneway
