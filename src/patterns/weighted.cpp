// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/weighted.hpp"

#include <cstddef>
#include <utility>

namespace laneway {
namespace {

/// The tree of a range, as far as it has merged.
struct MergedRange {
    int root;
    WeightedTree::Range range;
    std::int64_t weight;
};

}  // namespace

WeightedTree weighted_tree(const std::vector<std::int64_t>& weights, int root, int number)
{
    std::vector<MergedRange> subtrees;
    for (int each = 0; each < static_cast<int>(weights.size()); ++each)
        if (const auto weight = weights[static_cast<std::size_t>(each)]; weight > 0 || each == root)
            subtrees.push_back({each, {each, each + 1}, weight});

    WeightedTree tree{.range = {number, number + 1}};
    while (subtrees.size() > 1) {
        std::vector<MergedRange> merged;
        for (std::size_t at = 0; at < subtrees.size(); at += 2) {
            if (at + 1 == subtrees.size()) {
                merged.push_back(subtrees[at]);
                continue;
            }
            const MergedRange &left = subtrees[at], &right = subtrees[at + 1];
            const bool is_left =
                left.root == root || (right.root != root && left.weight >= right.weight);
            const MergedRange &upper = is_left ? left : right, &lower = is_left ? right : left;
            const WeightedTree::Range both{left.range.first, right.range.end};
            if (upper.root == number) {
                tree.children.push_back({lower.root, lower.range});
                tree.range = both;
            }
            if (lower.root == number) tree.parent = upper.root;
            merged.push_back({upper.root, both, left.weight + right.weight});
        }
        subtrees = std::move(merged);
    }
    return tree;
}

}  // namespace laneway
