// SPDX-License-Identifier: BSD-3-Clause
// A tree by weights, seen by all of its numbers.
#include "patterns/weighted.hpp"

#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

#include "cases/case.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

using Weights = std::vector<std::int64_t>;

/// Looks at the tree from all of its numbers.
void look(const Weights& weights, int root)
{
    const int size = static_cast<int>(weights.size());
    std::vector<WeightedTree> trees;
    for (int number = 0; number < size; ++number)
        trees.push_back(weighted_tree(weights, root, number));
    const auto of = [&](int number) -> const WeightedTree& {
        return trees[static_cast<std::size_t>(number)];
    };
    const auto weight = [&](const WeightedTree::Range& range) {
        return std::accumulate(weights.begin() + range.first, weights.begin() + range.end,
                               std::int64_t{0});
    };
    EQUAL(of(root).parent, WeightedTree::none);
    EQUAL(weight(of(root).range), weight({0, size}));
    int inside = 0;
    std::int64_t moved = 0;
    for (int number = 0; number < size; ++number) {
        const WeightedTree& own = of(number);
        const bool is_in = number == root || weights[static_cast<std::size_t>(number)] > 0;
        inside += is_in ? 1 : 0;
        TRUE(is_in || (own.parent == WeightedTree::none && own.children.empty()));
        TRUE(own.range.first <= number && number < own.range.end);
        std::int64_t gathered = weights[static_cast<std::size_t>(number)];
        for (const auto& [child, range] : own.children) {
            EQUAL(of(child).parent, number);
            TRUE(of(child).range.first == range.first && of(child).range.end == range.end);
            // A lighter part goes to a heavier one, but for the root.
            TRUE(number == root || weight(range) <= gathered);
            gathered += weight(range);
            moved += weight(range);
        }
        EQUAL(gathered, weight(own.range));
    }
    // A round for each level, and a message from everyone but the root.
    int depth = 0;
    while ((1 << depth) < inside) ++depth;
    for (int number = 0; number < size; ++number)
        TRUE(static_cast<int>(of(number).children.size()) <= depth);
    TRUE(moved <= depth * weight({0, size}));
}

const Register small("a tree by all small weights", [] {
    for (int size = 1; size <= 5; ++size)
        for (int code = 0; code < std::pow(3, size); ++code) {
            Weights weights;
            for (int rest = code, at = 0; at < size; ++at, rest /= 3) weights.push_back(rest % 3);
            for (int root = 0; root < size; ++root) look(weights, root);
        }
});

const Register large("a tree by weights of chance", [] {
    std::mt19937 random(7);
    for (int sample = 0; sample < 300; ++sample) {
        Weights weights(1 + random() % 70);
        for (auto& weight : weights) weight = random() % 3 == 0 ? 0 : random() % 1000;
        look(weights, static_cast<int>(random() % weights.size()));
    }
});

const Register heavy("the heaviest moves once, and to the root", [] {
    const Weights weights{1, 1, 1, 1, 1, 900, 1, 1};
    EQUAL(weighted_tree(weights, 0, 5).parent, 0);
    EQUAL(weighted_tree(weights, 0, 5).children.size(), std::size_t{2});
    EQUAL(weighted_tree(weights, 5, 0).parent, 5);
});

}  // namespace
}  // namespace laneway::simulate
