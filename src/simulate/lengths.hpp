// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "blocks/layouts.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/node_blocks.hpp"
#include "data/partition.hpp"
#include "layout/layout.hpp"
#include "walks/digits.hpp"

/// The lengths of the blocks of a vector collective that is simulated, and who knows which of them.
namespace laneway::simulate {

/// How long the blocks of a vector collective are, in elements as algorithms get them.
class Blocks {
public:
    /// Blocks that differ are whole numbers of the caller's elements, each of which is `scale` of the algorithms'
    /// elements. `mean`: the caller's elements of a block.
    Blocks(const BlockLayout& layout, std::int64_t mean, std::int64_t scale, int ranks)
        : layout_(layout),
          mean_(static_cast<std::size_t>(mean)),
          scale_(scale),
          ranks_(ranks),
          by_rank_(
              partition([&](int rank) { return block_elements(layout_, mean_, rank, ranks_); }))
    {
    }
    /// Equal blocks of `length` elements.
    Blocks(std::int64_t length, int ranks) : ranks_(ranks), by_rank_(length * ranks, ranks) {}

    /// The blocks by rank, equal on all ranks, of which there may be very many.
    const Partition& by_rank() const { return by_rank_; }
    Partition sent_by(int rank) const
    {
        return between([&](int to) { return of_pair(rank, to); });
    }
    Partition received_by(int rank) const
    {
        return between([&](int from) { return of_pair(from, rank); });
    }
    /// The lengths of those that pass a rank on their way by digits.
    std::vector<std::int64_t> passing(int rank, const Circle& circle, std::int64_t element) const
    {
        const auto length = [&](int from, int to) {
            const std::int64_t its = are_equal() ? by_rank_.size(to) : scale_ * of_pair(from, to);
            return its * element > circle.longest ? 0 : its;
        };
        return lengths_by_digits(rank, ranks_, static_cast<int>(circle.radix), length);
    }

private:
    template <class Length>
    Partition partition(const Length& length) const
    {
        std::vector<std::int64_t> sizes;
        for (int rank = 0; rank < ranks_; ++rank)
            sizes.push_back(scale_ * static_cast<std::int64_t>(length(rank)));
        return Partition(sizes);
    }

    template <class Length>
    Partition between(const Length& length) const
    {
        return are_equal() ? by_rank_ : partition(length);
    }

    bool are_equal() const { return layout_.shape == BlockLayout::Shape::equal; }
    std::int64_t of_pair(int from, int to) const
    {
        return static_cast<std::int64_t>(pair_elements(layout_, mean_, from, to, ranks_));
    }

    BlockLayout layout_;
    std::size_t mean_ = 0;
    std::int64_t scale_ = 1;
    int ranks_;
    Partition by_rank_;
};

/// The knowledge of a node's processes about the blocks of an alltoallv.
class Known {
public:
    Known(const Blocks& blocks, const Layout& layout) : blocks_(blocks), layout_(layout) {}

    /// The blocks that are known on the node of a rank.
    const NodeBlocks& on_node_of(int rank)
    {
        if (const int node = layout_.locate(rank).node; node != node_) {
            node_ = node;
            std::vector<std::int64_t> told;
            for (const int member : layout_.members(node))
                for (const Partition& part : {blocks_.sent_by(member), blocks_.received_by(member)})
                    for (int other = 0; other < layout_.ranks(); ++other)
                        told.push_back(part.size(other));
            known_.emplace(told, node, layout_);
        }
        return *known_;
    }

private:
    const Blocks& blocks_;
    const Layout& layout_;
    int node_ = -1;  ///< node of the last rank that was asked for
    std::optional<NodeBlocks> known_;
};

}  // namespace laneway::simulate
