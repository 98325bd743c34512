// SPDX-License-Identifier: BSD-3-Clause
#include "layout/order.hpp"

namespace laneway {

Order::Order(int first, const Layout& layout)
    : first_(first),
      ranks_(layout.ranks()),
      layout_(&layout),
      start_(layout.locate(first))
{
}

int Order::rank(int position) const
{
    if (!layout_) return (first_ + position) % ranks_;
    const auto member = [&](int node, int local) {
        return layout_->members(node)[static_cast<std::size_t>(local)];
    };
    const int processes = static_cast<int>(layout_->members(start_.node).size());
    if (position < processes) return member(start_.node, (start_.local + position) % processes);
    const auto [node, local] =
        layout_->by_node((layout_->starts_at(start_.node) + position) % ranks_);
    return member(node, local);
}

int Order::position(int rank) const
{
    if (!layout_) return (rank - first_ + ranks_) % ranks_;
    const auto [node, local] = layout_->locate(rank);
    const int processes = static_cast<int>(layout_->members(node).size());
    if (node == start_.node) return (local - start_.local + processes) % processes;
    const int start = layout_->starts_at(start_.node);
    return (layout_->starts_at(node) + local - start + ranks_) % ranks_;
}

}  // namespace laneway
