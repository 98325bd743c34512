// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "switch/pace.hpp"

namespace laneway::lanes {

/// By how much frames were late, in classes whose bounds differ by an eighth at most.
class Lateness {
public:
    void add(Time late);

    /// {"frames", "late_ns": their sum, "worst_ns", "classes": [[upper bound in ns, frames], ...]},
    /// without the braces.
    std::string in_json() const;

private:
    static constexpr std::size_t a_doubling = 8, doublings = 32;

    static std::size_t class_of(std::uint64_t late);
    static std::uint64_t bound_of(std::size_t number);

    std::uint64_t frames_ = 0, sum_ = 0, worst_ = 0;
    std::array<std::uint64_t, a_doubling*(doublings + 1)> classes_{};
};

}  // namespace laneway::lanes
