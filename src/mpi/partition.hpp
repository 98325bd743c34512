// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mpi/buffer.hpp"

namespace laneway {

/// A row of consecutive blocks.
class Partition {
public:
    /// `count` elements in `parts` blocks whose sizes differ by at most one, the larger ones first.
    Partition(std::int64_t count, int parts)
    {
        for (int part = 0; part < parts; ++part) append(count / parts + (part < count % parts));
    }

    /// Blocks of the given sizes.
    explicit Partition(const std::vector<std::int64_t>& sizes)
    {
        for (const std::int64_t size : sizes) append(size);
    }

    int parts() const { return static_cast<int>(first_.size()) - 1; }
    /// Elements in all blocks.
    std::int64_t count() const { return first_.back(); }

    /// First element of block `part`. Blocks past the last are empty.
    std::int64_t first(int part) const
    {
        return first_[static_cast<std::size_t>(std::min(part, parts()))];
    }
    /// Elements in block `part`.
    std::int64_t size(int part) const { return first(part + 1) - first(part); }

    /// Block `part` of `whole`, a buffer of `count()` elements.
    Buffer block(const Buffer& whole, int part) const
    {
        return whole.slice(first(part), size(part));
    }

    /// The `parts` blocks from block `from` on, as a row of their own.
    Partition slice(int from, int parts) const
    {
        Partition result(0, 0);
        for (int part = from; part < from + parts; ++part) result.append(size(part));
        return result;
    }

private:
    void append(std::int64_t size) { first_.push_back(first_.back() + size); }

    std::vector<std::int64_t> first_{0};
};

}  // namespace laneway
