// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "mpi/buffer.hpp"

namespace laneway {

/// Fits into one jumbo frame (9000 bytes), which carries a lane's bandwidth; pipelines of such
/// segments fill soon, and libraries send them by their fastest protocol.
constexpr std::int64_t segment_bytes = 8 << 10;

/// A buffer cut into segments of `bytes` each (rounded to elements, at least one), the last one
/// shorter; segments past the end are empty.
class Segments {
public:
    Segments(const Buffer& whole, std::int64_t bytes)
        : whole_(whole),
          length_(whole.extent > 0 ? std::max<std::int64_t>(1, bytes / whole.extent) : 1)
    {
    }

    int count() const { return static_cast<int>((whole_.count + length_ - 1) / length_); }

    Buffer operator[](int segment) const
    {
        const std::int64_t first = std::min(segment * length_, whole_.count);
        return whole_.slice(first, std::min(length_, whole_.count - first));
    }

private:
    Buffer whole_;
    std::int64_t length_;
};

}  // namespace laneway
