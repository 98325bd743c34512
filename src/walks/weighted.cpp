// SPDX-License-Identifier: BSD-3-Clause
#include "walks/weighted.hpp"

#include <cstdint>
#include <vector>

#include "data/scratch.hpp"
#include "messages/messages.hpp"
#include "patterns/weighted.hpp"

namespace laneway {

void walk_weighted(Way way, const Buffer& whole, const Buffer& mine, const Partition& part,
                   int root, const Comm& comm)
{
    const int rank = comm.rank();
    std::vector<std::int64_t> lengths;
    for (int each = 0; each < comm.size(); ++each) lengths.push_back(part.size(each));
    const WeightedTree tree = weighted_tree(lengths, root, rank);
    if (rank != root && tree.parent == WeightedTree::none) return;

    const auto first = [&](const WeightedTree::Range& range) { return part.first(range.first); };
    const auto count = [&](const WeightedTree::Range& range) {
        return part.first(range.end) - part.first(range.first);
    };
    const bool passes_on = rank != root && !tree.children.empty();
    const Scratch scratch(passes_on ? count(tree.range) : 0, mine.type);
    const Buffer row = rank == root ? whole.slice(first(tree.range), count(tree.range))
                       : passes_on  ? scratch.buffer()
                                    : mine;
    const auto in_row = [&](const WeightedTree::Range& range) {
        return row.slice(first(range) - first(tree.range), count(range));
    };
    Messages messages(comm);
    way.phases(
        [&] {
            if (rank == root) return;
            way.with_inner(messages, row, tree.parent);
            messages.wait();
        },
        [&] {
            // The last child to merge has most to pass on.
            for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child)
                way.with_outer(messages, in_row(child->range), child->number);
            way.copy(in_row({rank, rank + 1}), mine, comm);
            messages.wait();
        });
}

}  // namespace laneway
