// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/layout.hpp"

namespace laneway {

/// The ranks in the order in which trees, rings and circulant graphs take them, from one of them on: position 0
/// is `first`. Holds no memory of its own.
class Order {
public:
    /// By rank: first, first + 1 ... and from rank 0 on again.
    Order(int first, int ranks) : first_(first), ranks_(ranks) {}
    /// By node: the node of `first`, `first` itself before the others, then the nodes after it. So a bad
    /// mapping of ranks to nodes costs nothing. The layout must outlive it.
    Order(int first, const Layout& layout);

    int ranks() const { return ranks_; }
    int rank(int position) const;
    int position(int rank) const;

private:
    int first_;
    int ranks_;
    const Layout* layout_ = nullptr;
    Layout::Place start_{};  ///< of `first`
};

}  // namespace laneway
