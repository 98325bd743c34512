// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>

#include "switch/pace.hpp"

namespace laneway::lanes {

/// The time by which clock `other` is ahead of clock `own`; both are functions.
///
/// The result is never more than that. A frame that came at a time of the other clock must not seem to have come
/// earlier, whatever interrupts us between two readings. Its time is told too late by as long as the readings lie
/// apart. That is a microsecond where one of a few attempts is not interrupted.
template <class Own, class Other>
Time ahead(const Own& own, const Other& other)
{
    constexpr int attempts = 5;
    constexpr Time close = 1000;
    Time found = std::numeric_limits<Time>::min();
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const Time before = own();
        const Time told = other();
        const Time after = own();
        found = std::max(found, told - after);
        if (after - before <= close) break;
    }
    return found;
}

}  // namespace laneway::lanes
