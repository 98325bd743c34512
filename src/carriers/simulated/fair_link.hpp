// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "carriers/simulated/machine.hpp"

namespace laneway {

/// A link of which all messages on it have an equal share at any time. How far each has got is read off one
/// clock for all, which goes the slower the more messages there are. (Parekh and Gallager, "A generalized
/// processor sharing approach to flow control", 1993.)
class FairLink {
public:
    /// Begins a message, `about`, which would take `work` on the link alone.
    void enter(Time now, Time work, std::uint64_t about)
    {
        advance(now);
        under_way_.emplace(clock_ + static_cast<double>(work), number_++, about);
    }

    bool empty() const { return under_way_.empty(); }

    /// When the next message is over, if none begins before. There is one under way.
    Time next(Time now)
    {
        advance(now);
        const double left = std::get<0>(under_way_.top()) - clock_;
        const double all = std::ceil(left * static_cast<double>(under_way_.size()));
        return due_ = now + static_cast<Time>(std::max(0.0, all));
    }

    /// Whether `now` is the time that next() said last, unless something has happened since.
    bool is_due(Time now) const { return !empty() && now == due_; }

    /// Ends the message that is due.
    std::uint64_t leave(Time now)
    {
        advance(now);
        const std::uint64_t about = std::get<2>(under_way_.top());
        under_way_.pop();
        return about;
    }

private:
    void advance(Time now)
    {
        if (under_way_.empty())
            clock_ = 0;
        else
            clock_ += static_cast<double>(now - since_) / static_cast<double>(under_way_.size());
        since_ = now;
    }

    using Entry = std::tuple<double, std::uint64_t, std::uint64_t>;  ///< end, order, message
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> under_way_;
    double clock_ = 0;
    Time since_ = 0, due_ = 0;
    std::uint64_t number_ = 0;
};

}  // namespace laneway
