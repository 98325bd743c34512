// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/in_order.hpp"

namespace laneway {
namespace {

/// The root of the positions from `first` to before `end`.
int root_of(int first, int end) { return first < end ? (first + end) / 2 : InOrder::none; }

}  // namespace

InOrder in_order(int position, int size)
{
    int first = 0, end = size, parent = InOrder::none, depth = 0;
    for (int root = root_of(first, end); root != position; root = root_of(first, end)) {
        (position < root ? end : first) = position < root ? root : root + 1;
        parent = root;
        ++depth;
    }
    return {first, end, parent, root_of(first, position), root_of(position + 1, end), depth};
}

}  // namespace laneway
