// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/blocks_between.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "data/partition.hpp"

namespace laneway {

BlocksBetween::BlocksBetween(const BlockMatrix& blocks, int from, int to, const RowCut& cut,
                             std::int64_t element, const Decomposition& on)
    : origins_(&on.members(from)),
      targets_(&on.members(to)),
      from_(from),
      to_(to),
      lanes_(on.lanes()),
      begins_{0}
{
    for (const int origin : *origins_)
        for (const int target : *targets_)
            begins_.push_back(begins_.back() + blocks.size(origin, target));
    const std::int64_t all = begins_.back(), bytes = all * element;
    if (bytes <= cut.whole) only_lane_ = (from + to) % lanes_;
    const std::int64_t enough = std::max<std::int64_t>(1, bytes / cut.least);
    const Partition segments(all, static_cast<int>(std::min<std::int64_t>(cut.segments, enough)));
    first_ = segments.first(cut.segment);
    last_ = segments.first(cut.segment + 1);
}

BlocksBetween::Share BlocksBetween::share(int lane) const
{
    if (only_lane_) return {first_, *only_lane_ == lane ? last_ - first_ : 0};
    const Partition shares(last_ - first_, lanes_);
    return {first_ + shares.first(lane), shares.size(lane)};
}

std::vector<BlocksBetween::Run> BlocksBetween::runs(int lane, bool by_origin) const
{
    constexpr std::int64_t longest = 1 << 30;  // elements of a message
    const auto [begin, count] = share(lane);
    const std::int64_t end = begin + count;
    std::vector<Run> runs;
    if (count == 0) return runs;
    const auto of = [&](std::size_t block) {
        return std::pair((*origins_)[block / targets_->size()],
                         (*targets_)[block % targets_->size()]);
    };
    std::size_t last = 0;  // block of the last run
    const auto after = std::ranges::upper_bound(begins_, begin) - begins_.begin();
    for (auto block = static_cast<std::size_t>(after - 1); begins_[block] < end; ++block) {
        const std::int64_t first = std::max(begin, begins_[block]);
        const std::int64_t length = std::min(end, begins_[block + 1]) - first;
        const auto [origin, target] = of(block);
        const auto follows = [&] {
            if (runs.empty() || last + 1 != block || runs.back().count + length > longest)
                return false;
            const auto [last_origin, last_target] = of(last);
            return by_origin ? origin == last_origin && target == last_target + 1
                             : target == last_target && origin == last_origin + 1;
        };
        if (follows())
            runs.back().count += length;
        else if (length > 0)
            runs.push_back({origin, target, first - begins_[block], first - begin, length});
        else
            continue;  // the next one begins a run of its own
        last = block;
    }
    return runs;
}

std::optional<BlocksBetween::Run> BlocksBetween::lone_block() const
{
    if (!only_lane_ || is_empty()) return std::nullopt;
    const auto after = std::ranges::upper_bound(begins_, 0);
    if (after == begins_.end() || *after != begins_.back()) return std::nullopt;
    return runs(*only_lane_, true).front();
}

}  // namespace laneway
