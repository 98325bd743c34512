// SPDX-License-Identifier: BSD-3-Clause
// The binary tree of scans.
#include "patterns/in_order.hpp"

#include <cstdlib>

#include "cases/case.hpp"

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

}  // namespace
}  // namespace laneway::simulate
