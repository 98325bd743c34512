// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace laneway {

/// A binomial tree over numbers that have weights, as one of them sees it. Neighbouring ranges merge two by two, and
/// the lighter one's root becomes a child of the heavier one's. So heavy data move seldom, and with q numbers that
/// weigh something, the depth is ceil(log2 q) at most. Numbers that weigh nothing, other than the root, stand
/// outside. (Träff 2017, arXiv:1702.05967: a gather along it takes as many rounds, and little more than the sum of
/// all weights.)
struct WeightedTree {
    static constexpr int none = -1;

    /// Numbers from `first` to `end - 1`. All that weigh something among them are of one subtree.
    struct Range {
        int first, end;
    };
    struct Child {
        int number;
        Range range;
    };

    int parent = none;                 ///< the root has none, nor has a number that stands outside
    Range range = {};                  ///< range of the subtree
    std::vector<Child> children = {};  ///< in the order in which they merge
};

/// The tree as `number` sees it.
WeightedTree weighted_tree(const std::vector<std::int64_t>& weights, int root, int number);

}  // namespace laneway
