// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

#include "containers/few.hpp"
#include "data/buffer.hpp"

namespace laneway {

/// A row of consecutive blocks.
class Partition {
public:
    /// No blocks.
    Partition() = default;

    /// `count` elements in `parts` blocks whose sizes differ by at most one, the larger ones first.
    Partition(std::int64_t count, int parts)
        : count_(count),
          parts_(parts),
          least_(parts == 0 ? 0 : count / parts),
          longer_(parts == 0 ? 0 : count % parts)
    {
    }

    /// Blocks of which the last one is shorter than all others, by `least` elements at least. They are cut so where no
    /// block gets fewer than `least` elements. Where one process has called for fewer elements than another one, their
    /// last blocks then differ in length, even if all others are alike.
    static Partition with_shorter_last(std::int64_t count, int parts, std::int64_t least)
    {
        Partition part(count, parts);
        const std::int64_t length = part.least_ + least;
        if (parts < 2 || count - (parts - 1) * length < least) return part;
        part.least_ = length;
        part.longer_ = 0;
        return part;
    }

    /// `count` elements in blocks of sizes in the ratio of `weights`, some of which are above 0. The sum of these
    /// multiplied by itself is no overflow.
    static Partition weighted(std::int64_t count, std::span<const std::int64_t> weights)
    {
        const std::int64_t all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
        Partition part(0, 0);
        for (std::int64_t before = 0; const std::int64_t weight : weights) {
            const auto up_to = [&](std::int64_t sum) {
                return count / all * sum + count % all * sum / all;
            };
            part.append(up_to(before + weight) - up_to(before));
            before += weight;
        }
        return part;
    }

    /// Blocks of the given sizes.
    explicit Partition(std::span<const std::int64_t> sizes)
    {
        for (const std::int64_t size : sizes) append(size);
    }

    int parts() const { return parts_; }
    /// Elements in all blocks.
    std::int64_t count() const { return count_; }

    /// First element of block `part`. Blocks past the last are empty.
    std::int64_t first(int part) const
    {
        if (part >= parts_) return count_;
        if (!first_.empty()) return first_[static_cast<std::size_t>(part)];
        return part * least_ + std::min<std::int64_t>(part, longer_);
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
        if (from == 0 && parts == parts_) return *this;
        Partition result(0, 0);
        for (int part = from; part < from + parts; ++part) result.append(size(part));
        return result;
    }

private:
    void append(std::int64_t size)
    {
        first_.push_back(count_);
        count_ += size;
        ++parts_;
    }

    std::int64_t count_ = 0;
    int parts_ = 0;
    std::int64_t least_ = 0,
                 longer_ = 0;     ///< all that is kept of blocks of nearly one length
    Few<std::int64_t, 8> first_;  ///< where blocks of given sizes begin
};

}  // namespace laneway
