// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "core/decomposition.hpp"
#include "mpi/partition.hpp"

namespace laneway {

/// What the lanes carry of an alltoall in blocks of `length` elements. What the processes of one
/// node have for those of another is a matrix of blocks, a line an origin and a column a target; line
/// by line, it is cut into one share a lane. Where nodes are equal, share j is line j; elsewhere it
/// may hold parts of several lines, and of blocks.
class Exchange {
public:
    Exchange(std::int64_t length, const Decomposition& on);

    /// What a lane takes from this node to each node; as much as it brings from there.
    Partition on_lane(int lane) const;

    /// Elements that the calling process takes to its lanes.
    std::int64_t owned() const;

    /// On this node: everyone's row of blocks, in rank order, to the owners of the lanes. They hold
    /// the shares of theirs one after the other, ordered by target node.
    void collect(const Buffer& row, const Buffer& shares) const;
    /// The other way: the shares that have come, ordered by node of origin, to everyone's row.
    void deliver(const Buffer& shares, const Buffer& row) const;

private:
    /// What a row has in common with a lane's shares: pieces, and where they stand in both.
    struct Pieces {
        std::vector<int> lengths, in_row, in_shares;
    };
    Pieces line(int local, int lane) const;
    Pieces column(int local, int lane) const;
    void append(Pieces& pieces, std::int64_t block, int rank, int node, int lane) const;

    template <class PiecesOf, class OfRow, class OfShares>
    void for_pieces(const PiecesOf& pieces_of, const OfRow& of_row,
                    const OfShares& of_shares) const;

    std::int64_t length_;
    const Decomposition& on_;
    std::vector<Partition> by_node_;  ///< of the matrix for that node: the lanes' shares
};

}  // namespace laneway
