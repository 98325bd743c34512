// SPDX-License-Identifier: BSD-3-Clause
#include "switch/lateness.hpp"

#include <algorithm>
#include <bit>

namespace laneway::lanes {

/// Numbers below 8 have a class each; each doubling from there on has eight classes.
std::size_t Lateness::class_of(std::uint64_t late)
{
    if (late < a_doubling) return late;
    const auto doubling = static_cast<std::size_t>(std::bit_width(late)) - 4;
    return std::min<std::size_t>(a_doubling * (doubling + 1) + (late >> doubling) % a_doubling,
                                 a_doubling * (doublings + 1) - 1);
}

/// The greatest number of a class.
std::uint64_t Lateness::bound_of(std::size_t number)
{
    if (number < a_doubling) return number;
    const auto doubling = number / a_doubling - 1;
    return ((a_doubling + number % a_doubling + 1) << doubling) - 1;
}

void Lateness::add(Time late)
{
    const auto own = static_cast<std::uint64_t>(std::max<Time>(late, 0));
    ++frames_;
    sum_ += own;
    worst_ = std::max(worst_, own);
    ++classes_[class_of(own)];
}

std::vector<Lateness::Class> Lateness::classes() const
{
    std::vector<Class> found;
    for (std::size_t number = 0; number < classes_.size(); ++number)
        if (classes_[number] > 0) found.emplace_back(bound_of(number), classes_[number]);
    return found;
}

}  // namespace laneway::lanes
