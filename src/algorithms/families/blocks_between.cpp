// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/blocks_between.hpp"

#include <algorithm>
#include <cstddef>
#include <ranges>

#include "data/partition.hpp"

namespace laneway {

BlocksBetween::BlocksBetween(const BlockMatrix& blocks, int from, int to, const RowCut& cut,
                             std::int64_t element, const Decomposition& on)
    : blocks_(&blocks),
      origins_(&on.members(from)),
      targets_(&on.members(to)),
      from_(from),
      to_(to),
      on_(&on),
      weights_(blocks.weights_between(from, to)),
      begins_{0}
{
    // Leaders have the first lanes alone, perhaps none that these two nodes share.
    if (!weights_.empty()) weights_.resize(static_cast<std::size_t>(on.lanes()));
    if (std::ranges::all_of(weights_, [](std::int64_t weight) { return weight == 0; }))
        weights_.clear();
    for (const int origin : *origins_)
        begins_.push_back(begins_.back() +
                          blocks.for_first(static_cast<int>(targets_->size()), to, origin));
    const std::int64_t all = begins_.back(), bytes = all * element;
    is_straight_ = cut.sizes.straight > 0 && bytes >= cut.sizes.straight;
    if (!is_straight_ && bytes <= cut.sizes.whole) only_lane_ = on.lane_between(from, to);
    // Blocks that go straight are not cut: the first part has them all.
    const std::int64_t enough = is_straight_ ? 1 : std::max<std::int64_t>(1, bytes / cut.least);
    const Partition segments(all, static_cast<int>(std::min<std::int64_t>(cut.segments, enough)));
    first_ = segments.first(cut.segment);
    last_ = segments.first(cut.segment + 1);
}

BlocksBetween::Share BlocksBetween::share(int lane) const
{
    if (only_lane_) return {first_, *only_lane_ == lane ? last_ - first_ : 0};
    const Partition shares = on_->by_lanes(last_ - first_, weights_);
    return {first_ + shares.first(lane), shares.size(lane)};
}

std::size_t BlocksBetween::target_at(std::size_t origin, std::int64_t place) const
{
    const auto ends_before = [&](std::size_t target) {
        return this->place(origin, target + 1) <= place;
    };
    const auto targets = std::views::iota(std::size_t{0}, targets_->size());
    return *std::ranges::partition_point(targets, ends_before);
}

std::vector<BlocksBetween::Run> BlocksBetween::runs(int lane, Side side,
                                                    std::optional<int> only) const
{
    constexpr std::int64_t longest = 1 << 30;  // elements of a message
    const auto [begin, count] = share(lane);
    const std::int64_t end = begin + count;
    std::vector<Run> runs;
    if (count == 0) return runs;

    std::size_t last = 0;  // block of the last run
    const auto add = [&](std::size_t origin, std::size_t target, std::int64_t block_begin,
                         std::int64_t block_end) {
        const std::size_t block = origin * targets_->size() + target;
        const std::int64_t first = std::max(begin, block_begin);
        const std::int64_t length = std::min(end, block_end) - first;
        const auto follows = [&] {
            if (runs.empty() || last + 1 != block || runs.back().count + length > longest)
                return false;
            if (side == Side::origins)
                return target > 0 && (*targets_)[target] == (*targets_)[target - 1] + 1;
            return targets_->size() == 1 && (*origins_)[origin] == (*origins_)[origin - 1] + 1;
        };
        if (follows())
            runs.back().count += length;
        else if (length > 0)
            runs.push_back({(*origins_)[origin], (*targets_)[target], first - block_begin,
                            first - begin, length});
        else
            return;  // the next one begins a run of its own
        last = block;
    };

    const bool one_origin = only && side == Side::origins, one_target = only && !one_origin;
    const auto after = std::ranges::upper_bound(begins_, begin) - begins_.begin();
    auto origin = static_cast<std::size_t>(one_origin ? *only : after - 1);
    for (; begins_[origin] < end; ++origin) {
        if (begins_[origin + 1] > begin) {
            std::size_t target = one_target ? static_cast<std::size_t>(*only)
                                            : target_at(origin, std::max(begin, begins_[origin]));
            const std::size_t targets = one_target ? target + 1 : targets_->size();
            std::int64_t place = this->place(origin, target);
            for (; target < targets && place < end; ++target) {
                const std::int64_t next = this->place(origin, target + 1);
                if (next >= begin) add(origin, target, place, next);
                place = next;
            }
        }
        if (one_origin || origin + 1 == origins_->size()) break;
    }
    return runs;
}

std::vector<BlocksBetween::Run> BlocksBetween::lone_blocks() const
{
    if (!only_lane_ || is_empty()) return {};
    std::vector<bool> taken(targets_->size());
    for (std::size_t origin = 0; origin < origins_->size(); ++origin) {
        const std::int64_t begin = begins_[origin], end = begins_[origin + 1];
        if (begin == end) continue;
        const std::size_t target = target_at(origin, begin);
        if (taken[target] || place(origin, target + 1) != end) return {};
        taken[target] = true;
    }
    return runs(*only_lane_, Side::origins);
}

}  // namespace laneway
