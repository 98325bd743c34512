// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace laneway {

/// A binary tree in order, as one of its positions sees it. Positions on its left come before it, positions on its
/// right after it. Subtrees of a position differ in size by one at most.
struct InOrder {
    static constexpr int none = -1;

    int first, end;  ///< range of its subtree
    int parent, left, right;
    int depth;
};

InOrder in_order(int position, int size);

}  // namespace laneway
