// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/claims.hpp"

#include <algorithm>

namespace laneway {

std::size_t Claims::Row::place_of(std::intptr_t first, std::uint32_t id) const
{
    std::size_t place = 0;
    for (std::size_t left = size(); left > 0;) {
        const std::size_t half = left / 2;
        const Claim& middle = at(place + half);
        const bool before =
            middle.hull.first < first || (middle.hull.first == first && middle.id < id);
        if (before) place += half + 1;
        left = before ? left - half - 1 : half;
    }
    return place;
}

void Claims::Row::move_gap(std::size_t place)
{
    if (place == gap_) return;
    const auto claims = claims_.begin();
    const auto at = [&](std::size_t index) { return claims + static_cast<std::ptrdiff_t>(index); };
    const std::size_t distance = place < gap_ ? gap_ - place : place - gap_;
    if (place < gap_) {
        std::move_backward(at(place), at(gap_), at(gap_end_));
        gap_end_ -= distance;
    } else {
        std::move(at(gap_end_), at(gap_end_ + distance), at(gap_));
        gap_end_ += distance;
    }
    gap_ = place;
}

void Claims::Row::add(const Claim& claim)
{
    if (gap_ == gap_end_) {
        constexpr std::size_t least = 8;
        const std::size_t behind = claims_.size() - gap_end_;
        claims_.resize(std::max(least, 2 * claims_.size()));
        const auto end = claims_.begin() + static_cast<std::ptrdiff_t>(gap_end_ + behind);
        std::move_backward(end - static_cast<std::ptrdiff_t>(behind), end, claims_.end());
        gap_end_ = claims_.size() - behind;
    }
    move_gap(place_of(claim.hull.first, claim.id));
    claims_[gap_++] = claim;
    longest_ = std::max(longest_, claim.hull.last - claim.hull.first);
}

void Claims::Row::remove(std::intptr_t first, std::uint32_t id)
{
    // Either side of the gap will do: claims that go one after the other then move nothing.
    const std::size_t place = place_of(first, id);
    if (place + 1 == gap_) {
        --gap_;
        return;
    }
    move_gap(place);
    ++gap_end_;
}

}  // namespace laneway
