// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

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

}  // namespace laneway
