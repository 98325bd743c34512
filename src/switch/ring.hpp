// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "switch/pace.hpp"

namespace laneway::lanes {

/// The sizes that a node's interface lets pass, in bytes.
struct Sending {
    std::size_t full = 0;     ///< A full frame.
    std::size_t longest = 0;  ///< The most that comes in one piece: a large segment.
    std::size_t burst = 0;    ///< The most at once, before the lane's rate limits it.
};

/// The memory that a port shares with the kernel: frames lie there until they are taken.
struct Ring {
    static constexpr std::size_t block_bytes = 131072;

    std::size_t slot_bytes = 0;  ///< A frame has one.
    std::size_t slots_a_block = 0;
    std::size_t blocks = 0;

    std::size_t slots() const { return slots_a_block * blocks; }
    std::size_t bytes() const { return block_bytes * blocks; }

    /// Where a slot begins.
    std::size_t at(std::size_t slot) const
    {
        return slot / slots_a_block * block_bytes + slot % slots_a_block * slot_bytes;
    }
};

/// The ring of each of so many ports, on a machine with so much memory. Throws std::runtime_error
/// where that is not enough.
Ring ring_for(std::size_t ports, std::size_t longest, std::size_t memory);

/// How long a ring may be left alone; 0: not at all. It is half of the time in which the shortest frames fill the
/// slots that a burst leaves, at a lane's rate.
Time unwatched(const Pace& pace, std::size_t slots, std::size_t burst);

}  // namespace laneway::lanes
