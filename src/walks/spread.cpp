// SPDX-License-Identifier: BSD-3-Clause
#include "walks/spread.hpp"

#include <algorithm>

#include "mpi/messages.hpp"
#include "patterns/tree.hpp"

namespace laneway {
namespace {

/// Blocks of consecutive positions, on their way.
class BlocksUnderWay {
public:
    BlocksUnderWay(const Buffer& data, const Partition& part, const Order& order, const Comm& comm)
        : data_(data),
          part_(part),
          order_(order),
          messages_(comm)
    {
    }

    /// Those of positions `first` to `end` - 1.
    void send(int first, int end, int to) { messages_.send(row(first, end), order_.rank(to)); }
    void receive(int first, int end, int from)
    {
        messages_.receive(row(first, end), order_.rank(from));
    }
    void wait() { messages_.wait(); }

private:
    Buffer row(int first, int end) const
    {
        return data_.slice(part_.first(first), part_.first(end) - part_.first(first));
    }

    const Buffer& data_;
    const Partition& part_;
    const Order& order_;
    Messages messages_;
};

/// Everyone then has the blocks of its subtree.
void scatter_in_place(const Tree& tree, BlocksUnderWay& blocks)
{
    if (tree.parent != Tree::none) blocks.receive(tree.position, tree.end, tree.parent);
    blocks.wait();
    int end = tree.end;
    for (std::size_t child = tree.children.size(); child-- > 0; end = tree.children[child])
        blocks.send(tree.children[child], end, tree.children[child]);
    blocks.wait();
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

    BlocksUnderWay blocks(data, part, order, comm);
    scatter_in_place(tree, blocks);
    for (int step = 0; step < size - 1; ++step) {
        const int leaving = (position - step + size) % size;
        const int arriving = (leaving - 1 + size) % size;
        if (!has(tree, arriving)) blocks.receive(arriving, arriving + 1, before);
        if (!has(next, leaving)) blocks.send(leaving, leaving + 1, after);
        blocks.wait();
    }
}

void spread_by_doubling(const Buffer& data, const Partition& part, const Order& order,
                        const Comm& comm)
{
    const int size = comm.size(), position = order.position(comm.rank());
    BlocksUnderWay blocks(data, part, order, comm);
    scatter_in_place(tree::binomial(position, size), blocks);
    for (int step = 1; step < size; step *= 2) {
        // The caller's group and the one that it exchanges with; the higher one may end early.
        const int own = position / step * step, other = own ^ step;
        const int own_end = std::min(own + step, size), other_end = std::min(other + step, size);
        const int in_own = own_end - own, in_other = other_end - other;
        if (in_other <= 0) continue;
        const auto has_both = [&](int at) { return at % (2 * step) == 0; };  // from the tree
        // The last ones of a group send to a smaller one; to a larger one, all send in turn.
        const int index = position - own, more = in_own - in_other;
        const int from = more < 0 ? index - more : index % in_other;
        if (!has_both(position)) blocks.receive(other, other_end, other + from);
        for (int to = index - std::max(0, more); to < in_other; to += in_own)
            if (to >= 0 && !has_both(other + to)) blocks.send(own, own_end, other + to);
        blocks.wait();
    }
}

}  // namespace laneway
