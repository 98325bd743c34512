// SPDX-License-Identifier: BSD-3-Clause
#include "call/told.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "providers/plain.hpp"

namespace laneway {

Telling::Telling(Lengths lengths, Told circle, const Decomposition& on)
    : on_(on),
      circle_(circle),
      own_(std::move(lengths.own))
{
    if (circle == Told::longest) {
        own_ = {std::ranges::max(own_)};
        all_ = {0};
        return;
    }
    std::size_t all = own_.size() * static_cast<std::size_t>(among().size());
    if (lengths.root && circle == Told::node) {
        const auto [node, local] = on.locate(*lengths.root);
        if (node == on.node_index()) {
            teller_ = local;
            all_ = std::move(lengths.row);
            all = static_cast<std::size_t>(on.world.size());
        }
    }
    all_.resize(all);
}

void Telling::text(const Buffer& own, const Buffer& all) const
{
    if (circle_ == Told::longest)
        plain::serve(Allreduce{own, all, op()}, among(), {}, plain::By::ours);
    else if (teller_)
        plain::serve(Bcast{all, *teller_}, among(), {}, plain::By::ours);
    else
        plain::serve(Allgather{own, all}, among(), {}, plain::By::ours);
}

void Telling::carry_out() const
{
    on_.world.next_turn();
    text(own(), all());
}

Partition Telling::row() const
{
    if (teller_ || circle_ == Told::everyone) return Partition(all_);
    std::vector<std::int64_t> row(static_cast<std::size_t>(on_.world.size()));
    for (std::size_t local = 0; local < all_.size(); ++local)
        row[static_cast<std::size_t>(on_.members(on_.node_index())[local])] = all_[local];
    return Partition(row);
}

NodeBlocks Telling::blocks() const
{
    const std::size_t ranks = own_.size() / 2;
    NodeBlocks blocks;
    for (std::size_t local = 0; local < static_cast<std::size_t>(on_.node.size()); ++local) {
        const std::span its(all_.data() + local * own_.size(), own_.size());
        blocks.sent.emplace_back(its.first(ranks));
        blocks.received.emplace_back(its.last(ranks));
    }
    return blocks;
}

}  // namespace laneway
