// SPDX-License-Identifier: BSD-3-Clause
#include "profile/losses.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

namespace laneway {
namespace {

/// The most rules that are named among those that overlap one.
constexpr std::size_t most_named = 16;

/// The most pairs of rules that are compared: about a second.
constexpr std::uint64_t most_pairs = 10'000'000;

using Side = Range Where::*;

/// The number of pairs that have numbers in common on this side.
std::uint64_t pairs_that_meet(const std::vector<Claim>& claims, Side side)
{
    std::vector<std::int64_t> least, most;
    for (const Claim& claim : claims) {
        least.push_back((claim.where.*side).least);
        most.push_back((claim.where.*side).most);
    }
    std::ranges::sort(least);
    std::ranges::sort(most);
    std::uint64_t pairs = 0;
    std::size_t ended = 0;
    for (std::size_t begun = 0; begun < least.size(); ++begun) {
        while (most[ended] < least[begun]) ++ended;
        pairs += begun - ended;
    }
    return pairs;
}

/// `look(earlier, later)` at all pairs that have numbers in common on the side on which the fewest have, until
/// there are too many. Returns whether it has seen them all.
template <class Look>
bool for_pairs(const std::vector<Claim>& claims, const Look& look)
{
    constexpr std::array<Side, 5> sides{&Where::bytes, &Where::nodes, &Where::ppn, &Where::ranks,
                                        &Where::lanes};
    const Side side = *std::ranges::min_element(
        sides, {}, [&](Side one) { return pairs_that_meet(claims, one); });
    const auto range = [&](std::size_t i) -> const Range& { return claims[i].where.*side; };
    std::vector<std::size_t> order(claims.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return range(i).least; });
    std::vector<std::size_t> begun;
    std::uint64_t pairs = 0;
    for (const std::size_t i : order) {
        std::erase_if(begun, [&](std::size_t other) { return range(other).most < range(i).least; });
        for (const std::size_t other : begun) {
            if (++pairs > most_pairs) return false;
            look(std::min(i, other), std::max(i, other));
        }
        begun.push_back(i);
    }
    return true;
}

}  // namespace

std::vector<Losses> losses_of(const std::vector<Claim>& claims, bool& complete)
{
    std::vector<Losses> all(claims.size());
    complete = for_pairs(claims, [&](std::size_t earlier, std::size_t later) {
        const Claim &rule = claims[earlier], &other = claims[later];
        Losses& losses = all[earlier];
        if (other.where.covers(rule.where)) {
            losses.hidden_by = std::min(later, losses.hidden_by.value_or(later));
        } else if (!rule.where.covers(other.where) && other.file == rule.file &&
                   other.service != rule.service && other.where.overlap(rule.where)) {
            auto& named = losses.overlapped_by;  // a heap: the latest first
            named.push_back(later);
            std::ranges::push_heap(named);
            if (named.size() <= most_named) return;
            std::ranges::pop_heap(named);
            named.pop_back();
            ++losses.more;
        }
    });
    for (Losses& losses : all) std::ranges::sort(losses.overlapped_by);
    return all;
}

}  // namespace laneway
