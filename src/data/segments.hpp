// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "data/buffer.hpp"

namespace laneway {

/// Bytes of a segment that fits into one jumbo frame (9000 bytes), which carries a lane's bandwidth.
/// Pipelines of such segments fill soon, and libraries send them by their fastest protocol.
constexpr std::int64_t segment_bytes = 8 << 10;

/// Bytes of a segment that say: the message is one segment, however long it is.
constexpr std::int64_t whole_message = 1 << 30;

/// A buffer cut into segments of `bytes` each (rounded to elements, at least one), the last one
/// shorter; segments past the end are empty.
class Segments {
public:
    Segments(const Buffer& whole, std::int64_t bytes)
        : whole_(whole),
          length_(std::max<std::int64_t>(1, elements_in(whole, bytes)))
    {
    }

    /// A buffer cut into segments of `length` elements each.
    static Segments of_length(const Buffer& whole, std::int64_t length)
    {
        Segments segments(whole, whole_message);
        segments.length_ = std::max<std::int64_t>(1, length);
        return segments;
    }

    /// Elements of a segment.
    std::int64_t length() const { return length_; }

    int count() const { return static_cast<int>((whole_.count + length_ - 1) / length_); }

    Buffer operator[](int segment) const
    {
        const std::int64_t first = std::min(segment * length_, whole_.count);
        return whole_.slice(first, std::min(length_, whole_.count - first));
    }

private:
    static std::int64_t elements_in(const Buffer& whole, std::int64_t bytes)
    {
        const std::int64_t extent = whole.extent < 0 ? -whole.extent : whole.extent;
        if (bytes >= whole_message || extent == 0) return whole.count;
        return bytes / extent;
    }

    Buffer whole_;
    std::int64_t length_;
};

}  // namespace laneway
