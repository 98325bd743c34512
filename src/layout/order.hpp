// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/layout.hpp"

namespace laneway {

/// The ranks in the order in which trees, rings and circulant graphs take them, from one of them on: position 0
/// is `first`. Holds no memory of its own.
class Order {
public:
    /// By rank: first, first + 1 ... and from rank 0 on again.
    Order(int first, int ranks);
    /// By node: the node of `first`, `first` itself before the others, then the nodes after it. So a bad
    /// mapping of ranks to nodes costs nothing. The layout must outlive it.
    Order(int first, const Layout& layout);
    /// By node, and by socket on each node: the others of the socket of `first`, then the sockets after it on
    /// its node. So a bad mapping to sockets costs nothing either.
    static Order by_socket(int first, const Layout& layout);

    /// The order of numbers that are positions already.
    static Order of_positions(int ranks) { return {0, ranks}; }

    int ranks() const { return ranks_; }
    int rank(int position) const;
    int position(int rank) const;

private:
    /// The row of ranks that is turned so that `first` comes first.
    enum class Row { by_rank, by_node, by_socket };
    int in_row(int index) const;
    int index_of(int rank) const;

    Row row_ = Row::by_rank;
    int ranks_;
    const Layout* layout_ = nullptr;
    int first_;             ///< index of `first`
    Layout::Range node_;    ///< node of `first` in the row
    Layout::Range socket_;  ///< its socket in the row; the node where there are none
};

}  // namespace laneway
