// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>

#include "bench/operation.hpp"

namespace laneway::bench {

/// The memory of a rank's calls: one slot where buffers are warm, several that are used in turn
/// where they are cold.
class Buffers {
public:
    Buffers(std::size_t input, std::size_t output, int slots);

    int slots() const { return slots_; }
    Memory slot(int index) const;

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

    std::size_t input_;  ///< Bytes, rounded up.
    std::size_t output_;
    int slots_;
    std::unique_ptr<std::byte, Free> memory_;
};

/// Bytes of the last level of this machine's cache.
std::size_t cache_size();

}  // namespace laneway::bench
