// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

/// Symbolic addresses, which an algorithm that is recorded gets in place of memory. They are told apart by the buffer
/// that they lie in, and can be calculated with like others. So a program can be used with other buffers than those
/// that it was recorded with.
namespace laneway::symbolic {

/// Offsets may be as large as addresses. Elements at MPI_BOTTOM lie as far from the start of their temporary as their
/// absolute addresses say.
constexpr int offset_bits = 50;
constexpr std::uintptr_t middle = std::uintptr_t{1} << (offset_bits - 1);

/// The start of buffer `base`, 0, 1 ...
inline void* address(std::size_t base)
{
    return reinterpret_cast<void*>(((base + 1) << offset_bits) + middle);
}

inline std::size_t base_of(const void* address)
{
    return (reinterpret_cast<std::uintptr_t>(address) >> offset_bits) - 1;
}

inline std::intptr_t offset_of(const void* address)
{
    constexpr std::uintptr_t mask = (std::uintptr_t{1} << offset_bits) - 1;
    return static_cast<std::intptr_t>((reinterpret_cast<std::uintptr_t>(address) & mask) - middle);
}

}  // namespace laneway::symbolic
