// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace laneway {

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). It begins
/// at no cost, and gives the same numbers everywhere.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t operator()()
    {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
        return mixed ^ (mixed >> 31U);
    }
    /// A number from 0 to `end` - 1.
    std::uint32_t below(std::uint32_t end)
    {
        constexpr unsigned word = 32;
        return static_cast<std::uint32_t>(((*this)() >> word) * end >> word);
    }

private:
    std::uint64_t state_;
};

}  // namespace laneway
