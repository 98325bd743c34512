// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/two_tree.hpp"

#include <algorithm>
#include <bit>

namespace laneway {
namespace {

/// The tree over positions 1 to `last` in inorder. Positions with as many zeros at the end of their number are
/// equally far from the leaves, which are odd.
class Inorder {
public:
    explicit Inorder(int last)
        : last_(last),
          top_(static_cast<int>(std::bit_floor(static_cast<unsigned>(last))))
    {
    }

    int top() const { return top_; }

    /// The parent of a position; 0 for the top.
    int parent(int position) const
    {
        if (position == top_) return 0;
        const int step = step_of(position);
        const bool is_right = (position & (2 * step)) || position + step > last_;
        return is_right ? position - step : position + step;
    }

    Children children(int position) const
    {
        Children children;
        int step = step_of(position) / 2;
        if (step > 0) children.push_back(position - step);
        while (step > 0 && position + step > last_) step /= 2;
        if (step > 0) children.push_back(position + step);
        return children;
    }

private:
    static int step_of(int position) { return position & -position; }

    int last_, top_;
};

}  // namespace

std::array<Tree, 2> two_tree(int position, int size)
{
    std::array<Tree, 2> trees{Tree{.position = position, .end = position},
                              Tree{.position = position, .end = position}};
    if (size == 1) return trees;
    // The second tree is the first one mirrored. Where the position in the middle would have children in both, the
    // second one is as the first one, but by one further down.
    const int last = size - 1;
    const Inorder first(last);
    const auto second = [&](int at) {
        if (at == 0) return 0;
        if (last % 2 == 0) return last + 1 - at;
        return at == 1 ? last : at - 1;
    };
    const auto in_first = [&](int at) { return last % 2 == 0 ? last + 1 - at : at % last + 1; };

    if (position == 0) {
        trees[0].children = {first.top()};
        trees[1].children = {second(first.top())};
        return trees;
    }
    for (const int at : {0, 1}) {
        Tree& tree = trees[static_cast<std::size_t>(at)];
        const int own = at == 0 ? position : in_first(position);
        tree.parent = first.parent(own);
        tree.children = first.children(own);
        for (int above = own; above > 0; above = first.parent(above)) ++tree.depth;
        if (at == 0) continue;
        tree.parent = second(tree.parent);
        std::ranges::transform(tree.children, tree.children.begin(), second);
    }
    return trees;
}

int two_tree_depth(int size) { return std::bit_width(static_cast<unsigned>(size - 1)); }

}  // namespace laneway
