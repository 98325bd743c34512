// SPDX-License-Identifier: BSD-3-Clause
#include "layout/order.hpp"

namespace laneway {
namespace {

bool has(const Layout::Range& range, int index)
{
    return index >= range.begin && index < range.begin + range.size;
}

/// An index that has gone on past the end of a range, turned back into it.
int turned(const Layout::Range& range, int index)
{
    return range.begin + (index - range.begin) % range.size;
}

/// Steps from `from` on to `to`, both below `size`, past the end if need be.
int steps(int from, int to, int size) { return (to - from + size) % size; }

}  // namespace

Order::Order(int first, int ranks) : ranks_(ranks), first_(first), node_{0, ranks}, socket_(node_)
{
}

Order::Order(int first, const Layout& layout)
    : row_(Row::by_node),
      ranks_(layout.ranks()),
      layout_(&layout),
      first_(index_of(first))
{
    const int node = layout.locate(first).node;
    node_ = {layout.starts_at(node), static_cast<int>(layout.members(node).size())};
    socket_ = node_;
}

Order Order::by_socket(int first, const Layout& layout)
{
    Order order(first, layout);
    if (!layout.has_sockets()) return order;
    order.row_ = Row::by_socket;
    order.first_ = order.index_of(first);
    order.socket_ = layout.socket_around(order.first_);
    return order;
}

int Order::in_row(int index) const
{
    if (row_ == Row::by_rank) return index;
    if (row_ == Row::by_socket) return layout_->by_socket(index);
    const auto [node, local] = layout_->by_node(index);
    return layout_->members(node)[static_cast<std::size_t>(local)];
}

int Order::index_of(int rank) const
{
    if (row_ == Row::by_rank) return rank;
    if (row_ == Row::by_socket) return layout_->index_by_socket(rank);
    const auto [node, local] = layout_->locate(rank);
    return layout_->starts_at(node) + local;
}

int Order::rank(int position) const
{
    if (position < socket_.size) return in_row(turned(socket_, first_ + position));
    if (position < node_.size) return in_row(turned(node_, socket_.begin + position));
    return in_row((node_.begin + position) % ranks_);
}

int Order::position(int rank) const
{
    const int index = index_of(rank);
    if (has(socket_, index)) return steps(first_, index, socket_.size);
    if (has(node_, index)) return steps(socket_.begin, index, node_.size);
    return steps(node_.begin, index, ranks_);
}

}  // namespace laneway
