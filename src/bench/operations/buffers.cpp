// SPDX-License-Identifier: BSD-3-Clause
#include "bench/operations/buffers.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

namespace laneway::bench {
namespace {

constexpr std::size_t line = 64;  // Bytes of a cache line: no slot shares one with another.
constexpr std::align_val_t page{4096};
constexpr std::size_t common_cache = std::size_t{32} << 20;  // Where the system does not say.

/// The bytes of a buffer, never 0: MPI_BOTTOM is a null pointer, and buffers may not be the same.
std::size_t rounded(std::size_t bytes) { return (bytes / line + 1) * line; }

}  // namespace

BufferPool::BufferPool(std::size_t input, std::size_t output, int slots)
    : input_(rounded(input)),
      output_(rounded(output)),
      slots_(slots),
      memory_(static_cast<std::byte*>(
          ::operator new((input_ + output_) * static_cast<std::size_t>(slots), page)))
{
    std::fill_n(memory_.get(), (input_ + output_) * static_cast<std::size_t>(slots), std::byte{0});
}

Buffers BufferPool::slot(int index) const
{
    std::byte* const begin =
        memory_.get() + (input_ + output_) * static_cast<std::size_t>(index % slots_);
    return {begin, begin + input_};
}

double BufferPool::bytes(std::size_t input, std::size_t output, int slots)
{
    return static_cast<double>(rounded(input) + rounded(output)) * slots;
}

int BufferPool::cold_slots(std::size_t input, std::size_t output, std::size_t cache)
{
    const std::size_t slots = 2 * cache / (rounded(input) + rounded(output)) + 2;
    return static_cast<int>(std::min<std::size_t>(slots, std::numeric_limits<int>::max()));
}

void BufferPool::evict(std::size_t cache)
{
    // The sink is volatile, or the compiler would leave the loop out.
    const std::vector<char> other(2 * cache, 1);
    volatile char sink = 0;
    for (std::size_t i = 0; i < other.size(); i += line) sink = other[i];
    static_cast<void>(sink);
}

void BufferPool::Free::operator()(std::byte* memory) const { ::operator delete(memory, page); }

std::size_t cache_size()
{
    const long size = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
    return size > 0 ? static_cast<std::size_t>(size) : common_cache;
}

}  // namespace laneway::bench
