// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "switch/pace.hpp"

namespace laneway::lanes {

/// By how much frames were late, in classes whose bounds differ by an eighth at most.
class Lateness {
public:
    void add(Time late);

    std::uint64_t frames() const { return frames_; }
    /// @name In nanoseconds
    /// @{
    std::uint64_t sum() const { return sum_; }
    std::uint64_t worst() const { return worst_; }
    /// @}

    using Class = std::pair<std::uint64_t, std::uint64_t>;  ///< upper bound in ns, frames
    /// The classes in which there are any frames.
    std::vector<Class> classes() const;

private:
    static constexpr std::size_t a_doubling = 8, doublings = 32;

    static std::size_t class_of(std::uint64_t late);
    static std::uint64_t bound_of(std::size_t number);

    std::uint64_t frames_ = 0, sum_ = 0, worst_ = 0;
    std::array<std::uint64_t, a_doubling*(doublings + 1)> classes_{};
};

}  // namespace laneway::lanes
