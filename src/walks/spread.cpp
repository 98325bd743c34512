// SPDX-License-Identifier: BSD-3-Clause
#include "walks/spread.hpp"

#include <algorithm>

#include "messages/exchange.hpp"
#include "messages/messages.hpp"
#include "patterns/tree.hpp"

namespace laneway {
namespace {

/// The blocks of positions `first` to `end` - 1.
Buffer row(const Buffer& data, const Partition& part, int first, int end)
{
    return data.slice(part.first(first), part.first(end) - part.first(first));
}

/// Gives everyone the blocks of its subtree. Pieces of the message come from the parent, the last one first, and go on
/// to children at once. So the farthest child has pieces to give on while the root still sends to the nearest.
void scatter_in_place(const Tree& tree, const Buffer& data, const Partition& part,
                      const Order& order, const Comm& comm)
{
    constexpr std::int64_t window = 32;  // pieces under way, on either side
    const std::int64_t begin = part.first(tree.position), last = part.first(tree.end) - 1;
    if (last < begin) return;
    const bool by_channel =
        comm.within_node() && comm.goes_by_channel((comm.rank() + 1) % comm.size());
    const std::int64_t cut =
        by_channel ? elements_in(passed_on_within_node, data.type) : piece_length(data.type, comm);
    const std::int64_t length = Recording::current() ? data.count : std::min(data.count, cut);
    const auto of_subtree = [&](std::int64_t piece, int first, int end) {
        const std::int64_t from = std::max(piece * length, part.first(first));
        const std::int64_t to = std::min((piece + 1) * length, part.first(end));
        return data.slice(from, std::max<std::int64_t>(to - from, 0));
    };

    Messages arriving(comm), leaving(comm);
    const bool is_root = tree.parent == Tree::none;
    const std::int64_t lowest = begin / length, highest = last / length;
    std::int64_t begun = is_root ? lowest : highest + 1;  // receives are posted from this piece on
    for (std::int64_t piece = highest; piece >= lowest; --piece) {
        while (begun > std::max(lowest, piece - window))
            arriving.receive(of_subtree(--begun, tree.position, tree.end), order.rank(tree.parent));
        arriving.wait(static_cast<std::size_t>(piece - begun));
        leaving.wait(window);
        int end = tree.end;
        for (std::size_t child = tree.children.size(); child-- > 0; end = tree.children[child])
            leaving.send(of_subtree(piece, tree.children[child], end),
                         order.rank(tree.children[child]));
    }
    leaving.wait();
}

}  // namespace

void spread_by_ring(const Buffer& data, const Partition& part, const Order& order, const Comm& comm)
{
    const int size = comm.size(), position = order.position(comm.rank());
    const int after = (position + 1) % size, before = (position - 1 + size) % size;
    const auto has = [&](const Tree& tree, int block) {
        return tree.position <= block && block < tree.end;
    };
    const Tree tree = tree::binomial(position, size), next = tree::binomial(after, size);

    scatter_in_place(tree, data, part, order, comm);
    for (int step = 0; step < size - 1; ++step) {
        const int leaving = (position - step + size) % size;
        const int arriving = (leaving - 1 + size) % size;
        Exchange blocks(comm);
        if (!has(tree, arriving)) blocks.receive(part.block(data, arriving), order.rank(before));
        if (!has(next, leaving)) blocks.send(part.block(data, leaving), order.rank(after));
        blocks.wait();
    }
}

void spread_by_doubling(const Buffer& data, const Partition& part, const Order& order,
                        const Comm& comm)
{
    const int size = comm.size(), position = order.position(comm.rank());
    scatter_in_place(tree::binomial(position, size), data, part, order, comm);
    for (int step = 1; step < size; step *= 2) {
        // The caller's group and the one that it exchanges with; the higher one may end early.
        const int own = position / step * step, other = own ^ step;
        const int own_end = std::min(own + step, size), other_end = std::min(other + step, size);
        const int in_own = own_end - own, in_other = other_end - other;
        if (in_other <= 0) continue;
        const auto has_both = [&](int at) { return at % (2 * step) == 0; };  // from the tree
        // The last processes of a group send to a smaller group; to a larger group, all send in turn.
        const int index = position - own, more = in_own - in_other;
        const int from = more < 0 ? index - more : index % in_other;
        Exchange blocks(comm);
        if (!has_both(position))
            blocks.receive(row(data, part, other, other_end), order.rank(other + from));
        for (int to = index - std::max(0, more); to < in_other; to += in_own)
            if (to >= 0 && !has_both(other + to))
                blocks.send(row(data, part, own, own_end), order.rank(other + to));
        blocks.wait();
    }
}

}  // namespace laneway
