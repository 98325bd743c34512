// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "data/partition.hpp"
#include "trial.hpp"

namespace laneway::in_process {

/// The lengths of the blocks of a vector collective's case, which all ranks can work out.
class Blocks {
public:
    explicit Blocks(const Case& now)
        : ranks_(now.machine->ranks()),
          mean_(now.count),
          layout_(now.layout),
          symmetric_(now.in_place),
          seed_(now.seed)
    {
    }

    /// The length of the block of `rank`: equal, rising from none, all of one rank, any, or of one rank in four.
    std::int64_t size(int rank) const
    {
        const int one = static_cast<int>(seed_ % static_cast<std::uint64_t>(ranks_));
        switch (layout_) {
        case 1:
            return 2 * mean_ * rank / ranks_;
        case 2:
            return rank == one ? mean_ * ranks_ : 0;
        case 3:
            return any(rank, 0);
        case 4:
            return rank % 4 == one % 4 ? 4 * mean_ : 0;
        default:
            return mean_;
        }
    }
    /// The length of the block from `origin` to `target`; in place as long as the other way.
    std::int64_t size(int origin, int target) const
    {
        if (symmetric_ && origin > target) return size(target, origin);
        const int one = static_cast<int>(seed_ % static_cast<std::uint64_t>(ranks_));
        switch (layout_) {
        case 1:
            return size((origin + target) % ranks_);
        case 2:
            return origin == one || (symmetric_ && target == one) ? mean_ : 0;
        case 3:
            return any(origin, target + 1);
        case 4:
            return (origin + target) % 4 == one % 4 ? 3 * mean_ : 0;
        default:
            return mean_;
        }
    }

    /// The blocks, one a rank.
    Partition row() const
    {
        std::vector<std::int64_t> sizes;
        for (int rank = 0; rank < ranks_; ++rank) sizes.push_back(size(rank));
        return Partition(sizes);
    }
    /// The blocks that `rank` sends to each, or receives from each.
    Partition sent(int rank) const
    {
        std::vector<std::int64_t> sizes;
        for (int other = 0; other < ranks_; ++other) sizes.push_back(size(rank, other));
        return Partition(sizes);
    }
    Partition received(int rank) const
    {
        std::vector<std::int64_t> sizes;
        for (int other = 0; other < ranks_; ++other) sizes.push_back(size(other, rank));
        return Partition(sizes);
    }

private:
    std::int64_t any(int one, int other) const
    {
        std::uint64_t mixed = seed_ + static_cast<std::uint64_t>(one) * 0x9e3779b97f4a7c15U +
                              static_cast<std::uint64_t>(other) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 31)) * 0x94d049bb133111ebU;
        return static_cast<std::int64_t>((mixed >> 33) %
                                         (2 * static_cast<std::uint64_t>(mean_) + 1));
    }

    int ranks_;
    std::int64_t mean_;
    int layout_;
    bool symmetric_;
    std::uint64_t seed_;
};

}  // namespace laneway::in_process
