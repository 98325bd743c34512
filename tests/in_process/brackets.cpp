// SPDX-License-Identifier: BSD-3-Clause
#include "brackets.hpp"

#include <bit>
#include <optional>

namespace laneway::in_process {
namespace {

using Values = std::vector<Value>;

Value at(const Values& values, int index) { return values[static_cast<std::size_t>(index)]; }

/// The sum of neighbours, of pairs of neighbours and so on. Where there is no power of two of them, the first
/// neighbours come together before, as many as make one.
Value by_pairs(Values values)
{
    const auto ranks = static_cast<unsigned>(values.size());
    for (std::size_t pairs = ranks - std::bit_floor(ranks); values.size() > 1;
         pairs = values.size() / 2) {
        Values next;
        for (std::size_t pair = 0; pair < pairs; ++pair)
            next.push_back(bracketed(values[2 * pair], values[2 * pair + 1]));
        next.insert(next.end(), values.begin() + static_cast<std::ptrdiff_t>(2 * pairs),
                    values.end());
        values = next;
    }
    return values.front();
}

/// The sum of ranks `first` to `end`, at least one, as a tree in rank order: the left of its root with the rest.
Value of_tree(const Values& values, int first, int end)
{
    const int root = (first + end) / 2;
    Value all = at(values, root);
    if (root + 1 < end) all = bracketed(all, of_tree(values, root + 1, end));
    return first < root ? bracketed(of_tree(values, first, root), all) : all;
}

/// The sum down that tree to `rank`: what comes before each root with what is on its left, and then the root.
std::optional<Value> prefix(const Values& values, int rank, bool inclusive)
{
    std::optional<Value> before;
    int first = 0, end = static_cast<int>(values.size());
    for (;;) {
        const int root = (first + end) / 2;
        std::optional<Value> below = before;
        if (first < root && rank >= root) {
            const Value left = of_tree(values, first, root);
            below = before ? bracketed(*before, left) : left;
        }
        if (rank == root && !inclusive) return below;
        const Value own = at(values, root), sum = below ? bracketed(*below, own) : own;
        if (rank == root) return sum;
        if (rank < root) {
            end = root;
        } else {
            first = root + 1;
            before = sum;
        }
    }
}

}  // namespace

Value in_brackets(std::string_view collective, int rank, const std::vector<Value>& operands)
{
    if (collective == "scan" || collective == "exscan")
        return prefix(operands, rank, collective == "scan").value();
    return by_pairs(operands);
}

}  // namespace laneway::in_process
