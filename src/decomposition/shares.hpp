// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "data/partition.hpp"
#include "data/stretches.hpp"
#include "decomposition/components.hpp"

namespace laneway {

/// The lanes' shares of a row of blocks, one block a rank in rank order. The blocks of a node, by rank, are cut into
/// one share a lane. Where nodes are equal, and blocks and lanes, too, share j of a node is the block of its process j.
/// Elsewhere a share may hold parts of several blocks.
class Shares {
public:
    /// Shares of blocks of `length` elements each.
    Shares(std::int64_t length, const Decomposition& on) : Shares(length, length, on) {}
    /// Shares of a stretch of `length` elements of every block; a block has `stride`.
    Shares(std::int64_t length, std::int64_t stride, const Decomposition& on)
        : length_(length),
          stride_(stride),
          on_(on)
    {
    }
    /// Shares of the blocks of a row.
    Shares(const Partition& row, const Decomposition& on) : Shares(row, 0, 1, on) {}
    /// The shares where one node gets the blocks of all others, or has them for these: the root's. Lanes then carry what
    /// they can between each node and that one.
    Shares towards(int root_node) &&
    {
        weights_ = on_.weights_towards(root_node);
        return std::move(*this);
    }
    /// Shares of stretch number `segment` of `segments` of every block of a row; the row begins with its first block.
    Shares(const Partition& row, int segment, int segments, const Decomposition& on);

    /// Whether share j of each node is the block of its process j.
    bool are_blocks() const { return on_.regular() && sizes_.empty(); }

    /// The lanes' shares of the blocks of a node.
    Partition of_node(int node) const
    {
        if (weights_.empty()) return on_.by_lanes(count_of(node));
        return on_.by_lanes(count_of(node), weights_[static_cast<std::size_t>(node)]);
    }
    /// Elements in the blocks of a node.
    std::int64_t count_of(int node) const;
    /// The nodes' blocks.
    Partition by_node() const;
    /// The nodes' shares on a lane.
    Partition on_lane(int lane) const;
    /// All lanes' shares of all nodes, lane by lane.
    Partition sections() const;

    /// Elements in the shares of this node that the calling process owns.
    std::int64_t owned() const;
    /// Elements in the shares of all nodes on the lanes that the calling process serves: in its columns.
    std::int64_t served() const;

    /// The data that the calling process has of a lane that it serves. The data of several lanes follow each other.
    struct Served {
        int lane;
        Partition nodes;  ///< the nodes' shares
        Buffer column;    ///< all these shares; where there is one node, its share
        Buffer share;     ///< this node's share
    };
    /// Calls `body(served)` for each such lane: columns are in `columns` (unused where there is one node), shares in
    /// `owned`.
    template <class Body>
    void for_lanes(const Buffer& columns, const Buffer& owned, const Body& body) const;

    /// Calls `body(place, count)`, in elements, for the pieces of blocks in a node's share: where they stand in the
    /// row, in order.
    template <class Body>
    void for_pieces(int lane, int node, const Body& body) const;

    /// The shares of all nodes on a lane as they stand in the row of blocks. A row of stretches begins with the first
    /// one. A type that this takes is made once, of the first row, and lives as long as the shares.
    Buffer places(int lane, const Buffer& row) const;
    /// The shares of all nodes on all lanes, lane by lane.
    Stretches::Row places(const Buffer& row) const { return places(0, on_.lanes(), row); }
    /// The block of a rank, or its stretch, in the row.
    Buffer block(const Buffer& row, int rank) const { return row.slice(place(rank), size(rank)); }

    /// Redistribution on this node, between the processes' blocks `mine` and the shares of their
    /// owners, who hold theirs one after the other in `owned`.
    void from_blocks(const Buffer& mine, const Buffer& owned) const;
    void to_blocks(const Buffer& owned, const Buffer& mine) const;
    /// Redistribution to the shares' owners, who hold them at their places in the row, as everyone holds its own block.
    void to_owners(const Buffer& row) const;

private:
    template <class Body>
    void for_overlaps(const Body& body) const;
    Stretches::Row places(int first_lane, int lanes, const Buffer& row) const;

    std::int64_t size(int rank) const
    {
        return sizes_.empty() ? length_ : sizes_[static_cast<std::size_t>(rank)];
    }
    std::int64_t place(int rank) const
    {
        return sizes_.empty() ? rank * stride_ : places_in_row_[static_cast<std::size_t>(rank)];
    }

    std::int64_t length_ = 0, stride_ = 0;             ///< where blocks are equal
    std::vector<std::int64_t> sizes_, places_in_row_;  ///< where they are not, by rank
    std::vector<LaneWeights> weights_;  ///< weights of lanes, by node; none: those of all nodes
    const Decomposition& on_;
    mutable std::vector<std::optional<Stretches::Row>>
        places_;  ///< by lane: the shares in a row from address 0 on
};

template <class Body>
void Shares::for_lanes(const Buffer& columns, const Buffer& owned, const Body& body) const
{
    std::int64_t column = 0, share = 0;
    on_.for_lanes([&](int lane) {
        const Partition nodes = on_lane(lane);
        const std::int64_t length = nodes.size(on_.node_index());
        const Buffer own = owned.slice(share, length);
        const bool alone = on_.nodes() == 1;
        body(Served{lane, nodes, alone ? own : columns.slice(column, nodes.count()), own});
        column += nodes.count();
        share += length;
    });
}

template <class Body>
void Shares::for_pieces(int lane, int node, const Body& body) const
{
    const Partition shares = of_node(node);
    const std::int64_t end = shares.first(lane + 1);
    if (!sizes_.empty()) {
        std::int64_t before = 0;
        for (const int rank : on_.members(node)) {
            const std::int64_t first = std::max(shares.first(lane), before);
            const std::int64_t last = std::min(end, before + size(rank));
            if (first < last) body(place(rank) + first - before, last - first);
            before += size(rank);
        }
        return;
    }
    for (std::int64_t at = shares.first(lane); at < end;) {
        const int rank = on_.members(node)[static_cast<std::size_t>(at / length_)];
        const std::int64_t within = at % length_, count = std::min(end - at, length_ - within);
        body(rank * stride_ + within, count);
        at += count;
    }
}

/// @name Blocks by node
/// @{

/// The blocks of a row, in the order of nodes.
Stretches node_order(const Partition& part, const Buffer& row, const Decomposition& on);

/// The blocks of a row by node: one part a node.
Partition node_blocks(const Partition& part, const Decomposition& on);

/// The blocks of the calling process's node, by rank.
Partition own_node(const Partition& part, const Decomposition& on);
/// @}

/// @name Blocks of `length` elements each, by node
/// @{
inline Partition equal_blocks(std::int64_t length, const Decomposition& on)
{
    return {length * on.world.size(), on.world.size()};
}
inline Stretches node_order(std::int64_t length, const Buffer& row, const Decomposition& on)
{
    return node_order(equal_blocks(length, on), row, on);
}
inline Partition node_blocks(std::int64_t length, const Decomposition& on)
{
    return node_blocks(equal_blocks(length, on), on);
}
/// @}

}  // namespace laneway
