// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/order.hpp"
#include "messages/comm.hpp"
#include "patterns/tree.hpp"

namespace laneway {

/// The processes that a process sends to and receives from in a tree, by rank.
struct Links {
    static constexpr int none = Tree::none;

    const Comm& comm;
    int parent = none;
    Children children = {};  ///< in the order in which their sums are combined
    int depth = 0;
    int tag = 0;

    bool is_root() const { return parent == none; }
};

/// The links in a tree over positions of an order.
inline Links links_of(const Tree& tree, const Order& order, const Comm& comm)
{
    Links links{.comm = comm, .depth = tree.depth};
    if (tree.parent != Tree::none) links.parent = order.rank(tree.parent);
    for (const int child : tree.children) links.children.push_back(order.rank(child));
    return links;
}

}  // namespace laneway
