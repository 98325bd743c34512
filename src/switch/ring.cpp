// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ring.hpp"

#include <linux/if_packet.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace laneway::lanes {
namespace {

constexpr std::size_t before_frame = 96;  ///< Most bytes of the kernel's headers in a slot.

/// The most frames in a ring. They are more than a node's connections send at once. They are also more than a lane
/// carries in 50 ms, for which the kernel may keep the processor from us.
constexpr std::size_t most_frames = 512;
/// Rings have fewer where there are many ports, so that all rings have no more than `usual_bytes`.
constexpr std::size_t usual_bytes = std::size_t{192} << 20U;
constexpr std::size_t least_frames = 32;

constexpr std::size_t share = 8;  ///< An eighth of the machine's memory may be locked for rings.

std::size_t divided_up(std::size_t value, std::size_t by) { return (value + by - 1) / by; }

std::string in_mb(std::size_t bytes) { return std::to_string(bytes / 1'000'000) + " MB"; }

}  // namespace

Ring ring_for(std::size_t ports, std::size_t longest, std::size_t memory)
{
    Ring ring;
    ring.slot_bytes = divided_up(longest + before_frame, TPACKET_ALIGNMENT) * TPACKET_ALIGNMENT;
    ring.slots_a_block = Ring::block_bytes / ring.slot_bytes;
    ring.blocks = std::clamp(usual_bytes / (std::max<std::size_t>(ports, 1) * Ring::block_bytes),
                             divided_up(least_frames, ring.slots_a_block),
                             divided_up(most_frames, ring.slots_a_block));
    const std::size_t all = ports * ring.bytes();
    if (all > memory / share)
        throw std::runtime_error("the network of " + std::to_string(ports) + " lanes needs " +
                                 in_mb(all) + " of memory, more than an eighth of the " +
                                 in_mb(memory) + " here: take fewer nodes or lanes");
    return ring;
}

Time unwatched(const Pace& pace, std::size_t slots, std::size_t burst)
{
    const auto left = static_cast<Time>(slots) - static_cast<Time>(burst) / shortest;
    return std::max<Time>(left, 0) * pace.on_wire(shortest) / 2;
}

}  // namespace laneway::lanes
