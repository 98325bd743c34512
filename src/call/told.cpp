// SPDX-License-Identifier: BSD-3-Clause
#include "call/told.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "providers/plain.hpp"
#include "walks/digits.hpp"

namespace laneway {

Telling::Telling(Lengths lengths, const Circle& circle, const Decomposition& on)
    : on_(on),
      circle_(circle),
      has_root_(lengths.root.has_value()),
      own_(std::move(lengths.own))
{
    if (circle.told == Told::longest) {
        own_ = {std::ranges::max(own_)};
        all_ = {0};
        return;
    }
    if (circle.told == Told::passing) {
        own_ = begins_with(own_);
        all_.resize(own_.size() * static_cast<std::size_t>(rounds_of_digits(
                                      static_cast<int>(circle.radix), on.world.size())));
        return;
    }
    std::size_t all = own_.size() * static_cast<std::size_t>(among().size());
    if (lengths.root && circle.told == Told::node) {
        const auto [node, local] = on.locate(*lengths.root);
        if (node == on.node_index()) {
            teller_ = local;
            all_ = std::move(lengths.row);
            all = static_cast<std::size_t>(on.world.size());
        }
    }
    all_.resize(all);
}

/// The lengths of the blocks that the process sends and that go by digits, by distance.
std::vector<std::int64_t> Telling::begins_with(std::span<const std::int64_t> sent) const
{
    const int rank = on_.world.rank(), size = on_.world.size();
    std::vector<std::int64_t> lengths{0};
    for (int distance = 1; distance < size; ++distance) {
        const std::int64_t length = sent[static_cast<std::size_t>((rank + distance) % size)];
        lengths.push_back(length > circle_.longest ? 0 : length);
    }
    return lengths;
}

void Telling::exchange(const Buffer& own, const Buffer& all) const
{
    if (told() == Told::passing)
        tell_by_digits(own, all, static_cast<int>(circle_.radix), among());
    else if (told() == Told::longest)
        plain::serve(Allreduce{own, all, op()}, among(), {}, plain::By::ours);
    else if (teller_)
        plain::serve(Bcast{all, *teller_}, among(), {}, plain::By::ours);
    else
        plain::serve(Allgather{own, all}, among(), {}, plain::By::ours);
}

void Telling::carry_out() const
{
    on_.world.next_turn();
    exchange(own(), all());
}

/// Whether everyone's lengths are those of the last call. Collective.
bool Telling::are_all_kept(const KeptLengths& kept) const
{
    const bool tells_all = teller_ && *teller_ == on_.node.rank();
    const std::int64_t mine = own_ == kept.own && (!tells_all || all_ == kept.all);
    std::int64_t everyones = 0;
    const auto buffer = [](const std::int64_t& number) {
        return Buffer::of(const_cast<std::int64_t*>(&number), 1, MPI_INT64_T);
    };
    plain::serve(Allreduce{buffer(mine), buffer(everyones), MPI_MIN}, among(), {}, plain::By::ours);
    return everyones != 0;
}

void Telling::carry_out(KeptLengths& kept)
{
    if (told() == Told::longest) return carry_out();
    // The question has no turn of its own: answers may differ from node to node, and all processes count turns alike.
    on_.world.next_turn();
    if (kept.are_asked_for()) {
        const bool are_kept = are_all_kept(kept);
        kept.answer(are_kept);
        if (are_kept) {
            all_ = kept.all;
            blocks_ = kept.blocks;
            return;
        }
    }
    exchange(own(), all());
    if (has_root_ || told() == Told::passing)
        kept.all = all_;
    else
        kept.blocks = blocks_ = blocks();
    kept.own = own_;
    kept.keep();
}

Partition Telling::row() const
{
    if (teller_ || told() == Told::everyone) return Partition(all_);
    std::vector<std::int64_t> row(static_cast<std::size_t>(on_.world.size()));
    for (std::size_t local = 0; local < all_.size(); ++local)
        row[static_cast<std::size_t>(on_.members(on_.node_index())[local])] = all_[local];
    return Partition(row);
}

std::shared_ptr<const NodeBlocks> Telling::blocks() const
{
    return blocks_ ? blocks_ : std::make_shared<const NodeBlocks>(all_, on_.node_index(), on_);
}

}  // namespace laneway
