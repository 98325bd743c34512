// SPDX-License-Identifier: BSD-3-Clause
// The binary trees of scans.
#include "patterns/in_order.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "cases/case.hpp"
#include "patterns/two_tree.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

const Register trees("a tree in order has everyone once, lower ones on the left", [] {
    for (int size = 1; size <= 700; ++size) {
        int roots = 0;
        for (int position = 0; position < size; ++position) {
            const InOrder node = in_order(position, size);
            const int before = position - node.first, after = node.end - position - 1;
            TRUE(std::abs(before - after) <= 1);
            TRUE(1 << node.depth <= size);
            EQUAL(node.left != InOrder::none, before > 0);
            EQUAL(node.right != InOrder::none, after > 0);
            if (before > 0) {
                const InOrder left = in_order(node.left, size);
                EQUAL(left.parent, position);
                EQUAL(left.depth, node.depth + 1);
                TRUE(left.first == node.first && left.end == position);
            }
            if (after > 0) {
                const InOrder right = in_order(node.right, size);
                EQUAL(right.parent, position);
                TRUE(right.first == position + 1 && right.end == node.end);
            }
            roots += node.parent == InOrder::none;
        }
        EQUAL(roots, 1);
    }
});

/// Every position but the root is the child that its parent says, on the side where it stands.
void is_in_order(const std::vector<std::array<InOrder, 2>>& all, std::size_t which)
{
    const int size = static_cast<int>(all.size());
    const auto of = [&](int at) { return all[static_cast<std::size_t>(at)][which]; };
    int roots = 0;
    for (int position = 0; position < size; ++position) {
        const InOrder node = of(position);
        EQUAL(node.left != InOrder::none, position > node.first);
        EQUAL(node.right != InOrder::none, position + 1 < node.end);
        if (node.left != InOrder::none) {
            EQUAL(of(node.left).parent, position);
            TRUE(of(node.left).first == node.first && of(node.left).end == position);
            EQUAL(of(node.left).depth, node.depth + 1);
        }
        if (node.right != InOrder::none) {
            EQUAL(of(node.right).parent, position);
            TRUE(of(node.right).first == position + 1 && of(node.right).end == node.end);
            const bool is_above = which == 1 && position == 0;
            EQUAL(of(node.right).depth, node.depth + !is_above);
        }
        roots += node.parent == InOrder::none;
    }
    EQUAL(roots, 1);
}

const Register two_trees("two trees in order: the leaves of one are within the other", [] {
    for (int size = 1; size <= 700; ++size) {
        std::vector<std::array<InOrder, 2>> all;
        for (int position = 0; position < size; ++position)
            all.push_back(two_tree_in_order(position, size));
        is_in_order(all, 0);
        is_in_order(all, 1);
        int depth = 0, other_depth = 0;
        for (int position = 0; position < size; ++position) {
            const auto& trees = all[static_cast<std::size_t>(position)];
            const auto is_leaf = [](const InOrder& tree) {
                return tree.left == InOrder::none && tree.right == InOrder::none;
            };
            TRUE(is_leaf(trees[0]) || is_leaf(trees[1]));
            depth = std::max(depth, trees[0].depth);
            other_depth = std::max(other_depth, trees[1].depth);
        }
        EQUAL(depth, two_tree_in_order_depth(size));
        TRUE(other_depth <= depth && other_depth + 1 >= depth);
    }
});

}  // namespace
}  // namespace laneway::simulate
