// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

namespace laneway {

/// 64-bit FNV-1a, the same on every machine.
constexpr std::uint64_t hash(std::string_view text)
{
    std::uint64_t value = 14695981039346656037u;
    for (const char c : text) {
        value ^= static_cast<unsigned char>(c);
        value *= 1099511628211u;
    }
    return value;
}

}  // namespace laneway
