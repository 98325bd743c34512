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

/// What happens when. None comes before the one that was taken last, which a radix heap makes use of (Ahuja,
/// Mehlhorn, Orlin, Tarjan, "Faster algorithms for the shortest path problem", 1990): an event moves to
/// another place some few times, whatever their number is. Events of the same time leave in the order in
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

    /// The earliest. There is one.
    Event pop()
    {
        if (taken_ == buckets_[0].size()) refill();
        --size_;
        return buckets_[0][taken_++];
    }

private:
    /// By the highest bit in which a time differs from the one now.
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
    std::size_t taken_ = 0;  ///< of the events of now
    std::size_t size_ = 0;
};

}  // namespace laneway
