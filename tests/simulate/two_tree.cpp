// SPDX-License-Identifier: BSD-3-Clause
// Two trees at once, as all of their positions see them.
#include "patterns/two_tree.hpp"

#include <algorithm>
#include <vector>

#include "cases/case.hpp"

namespace laneway {
namespace {

using cases::Register;

/// One tree, of position 0 and all below it.
void is_a_tree(const std::vector<std::array<Tree, 2>>& all, std::size_t which)
{
    std::vector<int> reached{0};
    EQUAL(all[0][which].parent, Tree::none);
    for (std::size_t next = 0; next < reached.size(); ++next) {
        const Tree& own = all[static_cast<std::size_t>(reached[next])][which];
        for (const int child : own.children) {
            const Tree& below = all[static_cast<std::size_t>(child)][which];
            EQUAL(below.parent, own.position);
            EQUAL(below.depth, own.depth + 1);
            reached.push_back(child);
        }
    }
    std::ranges::sort(reached);
    EQUAL(reached.size(), all.size());
    TRUE(std::ranges::adjacent_find(reached) == reached.end());
}

const Register two_trees("two trees have all positions, and none has children in both", [] {
    for (int size = 1; size <= 4096; ++size) {
        std::vector<std::array<Tree, 2>> all;
        for (int position = 0; position < size; ++position) all.push_back(two_tree(position, size));
        is_a_tree(all, 0);
        is_a_tree(all, 1);
        int depth = 0;
        for (const auto& [one, other] : all) {
            depth = std::max({depth, one.depth, other.depth});
            if (one.position == 0) continue;
            TRUE(one.children.empty() || other.children.empty());
            TRUE(one.children.size() <= 2 && other.children.size() <= 2);
        }
        EQUAL(all[0][0].children.size(), std::size_t{size > 1});
        EQUAL(all[0][1].children.size(), std::size_t{size > 1});
        EQUAL(depth, two_tree_depth(size));
    }
});

}  // namespace
}  // namespace laneway
