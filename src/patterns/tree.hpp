// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "containers/few.hpp"

namespace laneway {

using Children = Few<int, 6>;

/// A tree over positions 0 to p - 1, as one of them sees it. Position 0 is the root.
struct Tree {
    static constexpr int none = -1;

    int position;
    int end;  ///< end of its subtree, where that is the range of positions from `position` on
    int parent = none;
    int depth = 0;
    Children children = {};  ///< in ascending order
};

/// The tree of `size` positions as `position` sees it. All trees are numbered in preorder: a subtree is a range of
/// positions that begins with its root. So what is combined in the order of a process and its children is combined in
/// the order of positions.
namespace tree {

/// All others are children of the root.
Tree linear(int position, int size);

/// Everyone has the next one as its child.
Tree chain(int position, int size);

/// Each position has two children, whose subtrees differ in size by one at most.
Tree binary(int position, int size);

/// The parent of a position is the position without its lowest bit.
Tree binomial(int position, int size);

/// A binomial tree of digits to base `radix`: the parent of a position is the position without its lowest digit but
/// zeros.
Tree knomial(int position, int size, int radix);

}  // namespace tree
}  // namespace laneway
