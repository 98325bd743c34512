// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "patterns/in_order.hpp"
#include "patterns/tree.hpp"

namespace laneway {

/// Two binary trees over positions 0 to p - 1, as one of them sees both. Position 0 is the root of both, with one
/// child in each; no other position has children in both. Numbered in inorder, not in preorder: `end` says nothing.
/// (Sanders, Speck, Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", 2009. Its colours
/// of edges say who sends when, for processes that send one message at a time. They are not needed where a lane takes
/// the messages to both children one after the other: nobody waits for a turn.)
std::array<Tree, 2> two_tree(int position, int size);

/// The depth of both trees, from position 0 on.
int two_tree_depth(int size);

/// Two binary trees in order over positions 0 to p - 1, as one of them sees both. Leaves of the first one are the even
/// positions, of the second one the odd ones. So no position but 0 has children in both. Position 0 stands above the top of
/// the second one, from which it takes nothing, at a depth of 0 as that.
/// (Sanders, Speck, Traeff 2009, as above, Section 5: for scans both trees are in order.)
std::array<InOrder, 2> two_tree_in_order(int position, int size);

/// The depth of the first of them; that of the second one is as much or one less.
int two_tree_in_order_depth(int size);

}  // namespace laneway
