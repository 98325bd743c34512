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

    /// The children of a position; 0 where there is none.
    int left(int position) const
    {
        const int step = step_of(position) / 2;
        return step > 0 ? position - step : 0;
    }
    int right(int position) const
    {
        int step = step_of(position) / 2;
        while (step > 0 && position + step > last_) step /= 2;
        return step > 0 ? position + step : 0;
    }

    Children children(int position) const
    {
        Children children;
        for (const int child : {left(position), right(position)})
            if (child > 0) children.push_back(child);
        return children;
    }

    /// A position as one that is `before` others in front of position 1 has it; `above` is the parent of the top.
    InOrder in_order(int position, int before, int above) const
    {
        const auto at = [&](int own) { return own > 0 ? before + own - 1 : InOrder::none; };
        const int reach = step_of(position) - 1, end = std::min(position + reach, last_);
        int depth = 0;
        for (int up = parent(position); up > 0; up = parent(up)) ++depth;
        return {.first = at(position - reach),
                .end = at(end) + 1,
                .parent = position == top_ ? above : at(parent(position)),
                .left = at(left(position)),
                .right = at(right(position)),
                .depth = depth};
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

std::array<InOrder, 2> two_tree_in_order(int position, int size)
{
    const Inorder all(size), others(size - 1);
    constexpr int root = 0;
    const InOrder first = all.in_order(position + 1, 0, InOrder::none);
    if (position > root) return {first, others.in_order(position, 1, root)};
    const int top = size > 1 ? others.top() : InOrder::none;
    return {first, InOrder{0, size, InOrder::none, InOrder::none, top, 0}};
}

int two_tree_in_order_depth(int size) { return std::bit_width(static_cast<unsigned>(size)) - 1; }

}  // namespace laneway
