// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "patterns/tree.hpp"

namespace laneway::tree {

/// A tree whose root has one child, position `hub`, which has all others. (Positions are not in preorder unless the
/// hub is the first.)
inline Tree by_hub(int position, int hub, int size)
{
    Tree tree{.position = position, .end = position};
    if (position == 0) {
        if (size > 1) tree.children = {hub};
        return tree;
    }
    tree.parent = position == hub ? 0 : hub;
    tree.depth = position == hub ? 1 : 2;
    // Children begin after the hub: so hubs do not all begin with the same one.
    for (int after = 1; position == hub && after < size; ++after)
        if (const int child = (hub + after) % size; child != 0) tree.children.push_back(child);
    return tree;
}

}  // namespace laneway::tree
