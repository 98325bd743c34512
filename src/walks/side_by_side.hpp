// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>

namespace laneway {

/// Two walks of segments, in steps that all processes have in common. A walk's first segment is at hand in step
/// `begins`, the next one a step later. So neither walk waits while the other one could go on.
template <class Walk>
void side_by_side(std::array<Walk, 2>& walks, const std::array<int, 2>& begins)
{
    const int end = std::max(begins[0] + walks[0].segments(), begins[1] + walks[1].segments());
    for (int step = 0; step <= end; ++step)
        for (const std::size_t walk : {std::size_t{0}, std::size_t{1}}) {
            const int number = step - begins[walk];
            if (number >= 0 && number <= walks[walk].segments()) walks[walk].segment(number);
        }
}

}  // namespace laneway
