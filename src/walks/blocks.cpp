// SPDX-License-Identifier: BSD-3-Clause
#include "walks/blocks.hpp"

#include <ranges>
#include <vector>

#include "data/scratch.hpp"
#include "messages/messages.hpp"

namespace laneway {
namespace {

/// The blocks of a process's subtree, by position from its own on.
class Subtree {
public:
    Subtree(const Buffer& whole, const Partition& part, const Tree& tree, const Order& blocks)
        : whole_(whole),
          part_(part),
          tree_(tree),
          blocks_(blocks),
          positions_(sizes(part, tree, blocks)),
          packed_(is_packed() ? positions_.count() : 0, whole.type)
    {
    }

    bool is_root() const { return tree_.parent == Tree::none; }
    /// Whether blocks need memory. The root's need none where they lie in the row of blocks as messages take them.
    bool is_packed() const
    {
        if (!is_root()) return true;
        for (std::size_t child = 0; child < tree_.children.size(); ++child)
            if (!is_row(child)) return true;
        return false;
    }

    const Buffer& packed() const { return packed_.buffer(); }
    Buffer own() const
    {
        return is_root() ? part_.block(whole_, blocks_.rank(tree_.position))
                         : positions_.block(packed(), 0);
    }

    /// The blocks that are sent to a child, or come from it.
    Buffer of_child(std::size_t child) const
    {
        const int first = tree_.children[child] - tree_.position;
        const std::int64_t start = positions_.first(first);
        const std::int64_t length = positions_.first(end_of(child) - tree_.position) - start;
        if (is_root() && is_row(child))
            return whole_.slice(part_.first(blocks_.rank(tree_.children[child])), length);
        return packed().slice(start, length);
    }

    /// Calls `body(block of the whole, the same packed)` for the root's blocks that messages take from packed memory.
    template <class Body>
    void for_packed(const Body& body) const
    {
        for (std::size_t child = 0; child < tree_.children.size(); ++child) {
            if (is_row(child)) continue;
            for (int at = tree_.children[child]; at < end_of(child); ++at)
                body(part_.block(whole_, blocks_.rank(at)), positions_.block(packed(), at));
        }
    }

private:
    static Partition sizes(const Partition& part, const Tree& tree, const Order& blocks)
    {
        Few<std::int64_t, 8> sizes;
        for (int at = tree.position; at < tree.end; ++at)
            sizes.push_back(part.size(blocks.rank(at)));
        return Partition(sizes);
    }

    int end_of(std::size_t child) const
    {
        return child + 1 < tree_.children.size() ? tree_.children[child + 1] : tree_.end;
    }

    /// Whether the blocks of a child's subtree ascend one by one.
    bool is_row(std::size_t child) const
    {
        const int first = tree_.children[child], number = blocks_.rank(first);
        for (int at = first + 1; at < end_of(child); ++at)
            if (blocks_.rank(at) != number + at - first) return false;
        return true;
    }

    const Buffer& whole_;
    const Partition& part_;
    const Tree& tree_;
    const Order& blocks_;
    const Partition positions_;
    const Scratch packed_;
};

}  // namespace

void walk_blocks(Way way, const Buffer& whole, const Buffer& mine, const Partition& part,
                 const Tree& tree, const Order& order, const Comm& comm)
{
    walk_blocks(way, whole, mine, part, tree, order, order, comm);
}

void walk_blocks(Way way, const Buffer& whole, const Buffer& mine, const Partition& part,
                 const Tree& tree, const Order& order, const Order& blocks, const Comm& comm)
{
    Messages messages(comm);
    if (tree.children.empty() && tree.parent != Tree::none) {
        way.with_inner(messages, mine, order.rank(tree.parent));
        return messages.wait();
    }
    const Subtree subtree(whole, part, tree, blocks);
    way.phases(
        [&] {
            if (subtree.is_root())
                return subtree.for_packed([&](const Buffer& block, const Buffer& packed) {
                    way.copy(block, packed, comm);
                });
            way.with_inner(messages, subtree.packed(), order.rank(tree.parent));
            messages.wait();
        },
        [&] {
            for (std::size_t child = tree.children.size(); child-- > 0;)
                way.with_outer(messages, subtree.of_child(child), order.rank(tree.children[child]));
            way.copy(subtree.own(), mine, comm);
            messages.wait();
        });
}

}  // namespace laneway
