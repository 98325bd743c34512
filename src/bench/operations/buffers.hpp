// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>

namespace laneway::bench {

/// The memory of one call.
struct Buffers {
    std::byte* input = nullptr;
    std::byte* output = nullptr;
};

/// The memory of a rank's calls: one slot where buffers are warm, several that are used in turn
/// where they are cold.
class BufferPool {
public:
    BufferPool() = default;  ///< No memory.
    BufferPool(std::size_t input, std::size_t output, int slots);

    int slots() const { return slots_; }
    Buffers slot(int index) const;

    /// Bytes of all slots.
    static double bytes(std::size_t input, std::size_t output, int slots);

    /// Slots that together are larger than a cache of `cache` bytes, by so much that none is left in
    /// it when its turn comes again.
    static int cold_slots(std::size_t input, std::size_t output, std::size_t cache);

    /// Fills a cache of `cache` bytes with something else.
    static void evict(std::size_t cache);

private:
    struct Free {
        void operator()(std::byte* memory) const;
    };

    std::size_t input_ = 0;  ///< Bytes, rounded up.
    std::size_t output_ = 0;
    int slots_ = 0;
    std::unique_ptr<std::byte, Free> memory_;
};

/// Bytes of the last level of this machine's cache.
std::size_t cache_size();

}  // namespace laneway::bench
