// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

/// Distances that are gone digit by digit, to base `radix`, the lowest digit first (Bruck, Ho, Kipnis, Upfal,
/// Weathersby 1997, with r - 1 ports).
namespace laneway {

/// The rounds in which all distances below `size` are gone: one a digit.
constexpr int rounds_of_digits(int radix, int size)
{
    int rounds = 0;
    for (std::int64_t weight = 1; weight < size; weight *= radix) ++rounds;
    return rounds;
}

/// `count` distances from `first` on.
struct Distances {
    int first;
    int count;
    bool operator==(const Distances&) const = default;
};

/// The distances below `size` that have `digit` as their digit of weight `weight`, in runs.
inline std::vector<Distances> distances_with(int digit, std::int64_t weight, int radix, int size)
{
    std::vector<Distances> runs;
    for (std::int64_t first = digit * weight; first < size; first += radix * weight)
        runs.push_back({static_cast<int>(first), static_cast<int>(std::min(weight, size - first))});
    return runs;
}

}  // namespace laneway
