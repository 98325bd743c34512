// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/tree.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace laneway::tree {

Tree linear(int position, int size)
{
    if (position > 0) return {.position = position, .end = position + 1, .parent = 0, .depth = 1};
    Tree root{.position = 0, .end = size};
    root.children = Children(static_cast<std::size_t>(size - 1));
    std::iota(root.children.begin(), root.children.end(), 1);
    return root;
}

Tree chain(int position, int size)
{
    Tree tree{.position = position, .end = size, .parent = position - 1, .depth = position};
    if (position + 1 < size) tree.children = {position + 1};
    return tree;
}

Tree binary(int position, int size)
{
    const auto first_of_right = [](const Tree& tree) {
        return tree.position + 1 + (tree.end - tree.position - 1) / 2;
    };
    Tree tree{.position = 0, .end = size};
    while (tree.position != position) {
        const int right = first_of_right(tree);
        tree.parent = tree.position;
        ++tree.depth;
        if (position < right) tree.end = right;
        tree.position = position < right ? tree.parent + 1 : right;
    }
    for (const int child : {position + 1, first_of_right(tree)})
        if (child < tree.end && (tree.children.empty() || tree.children.front() != child))
            tree.children.push_back(child);
    return tree;
}

Tree binomial(int position, int size) { return knomial(position, size, 2); }

Tree knomial(int position, int size, int radix)
{
    const auto digit = [&](std::int64_t step) { return static_cast<int>(position / step % radix); };
    std::int64_t step = 1;  // the place of the lowest digit that is not zero
    while (step < size && digit(step) == 0) step *= radix;
    Tree tree{.position = position,
              .end = static_cast<int>(std::min<std::int64_t>(size, position + step))};
    if (position > 0) tree.parent = static_cast<int>(position - digit(step) * step);
    for (std::int64_t place = step; place <= position; place *= radix)
        tree.depth += digit(place) != 0;
    for (std::int64_t place = 1; place < step; place *= radix)
        for (int times = 1; times < radix && position + times * place < size; ++times)
            tree.children.push_back(static_cast<int>(position + times * place));
    return tree;
}

}  // namespace laneway::tree
