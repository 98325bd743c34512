// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

namespace laneway::lanes {

/// Nanoseconds, since whenever the clock began.
using Time = std::int64_t;

constexpr Time second = 1'000'000'000;

/// Bytes of the shortest frame that counts: the headers of Ethernet, IPv4 and TCP.
constexpr std::int64_t shortest = 66;

/// The size on a lane of one frame, or of a large segment that stands for several.
struct Size {
    std::int64_t full = 0;    ///< Bytes of each of its frames but the last, headers included.
    std::int64_t before = 0;  ///< Number of those frames.
    std::int64_t last = 0;    ///< Bytes of the last one.

    std::int64_t bytes() const { return full * before + last; }
};

/// How fast a lane is, in each direction.
///
/// The model is that of LogGP. A frame of b bytes that starts to leave at s has left at s + b/rate. Its first bit
/// arrives at s + latency. The receiving lane takes the frame in from then on, or from when the lane is free. That
/// takes b/rate again, but at the same time: an idle lane cuts through, and the last bit arrives at s + latency +
/// b/rate. Both lanes are busy with the frame for max(gap, b/rate). The starts of two frames are at least a gap
/// apart, and the adapter's work for a frame goes on beside its bytes.
struct Pace {
    std::int64_t rate = 1;  ///< Bits a second.
    Time latency = 0;
    Time gap = 0;

    /// The time until the last bit of a frame has left.
    Time on_wire(std::int64_t bytes) const { return (bytes * 8 * second + rate - 1) / rate; }

    /// The time from the start of the first frame to that of the last.
    Time to_last(const Size& size) const { return size.before * std::max(gap, on_wire(size.full)); }

    /// The time from the start of the first frame until the last bit has left.
    Time passing(const Size& size) const { return to_last(size) + on_wire(size.last); }
};

}  // namespace laneway::lanes
