// SPDX-License-Identifier: BSD-3-Clause
// Traeff, "Round-optimal n-block broadcast schedules in logarithmic time", 2023 (arXiv 2312.11236).
#include "patterns/circulant.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace laneway {

Circulant::Circulant(int size)
{
    for (int skip = size; skip > 1; skip = (skip + 1) / 2) skips_.push_back(skip);
    skips_.push_back(1);
    std::ranges::reverse(skips_);
}

/// Every position is a sum of skips, taken greedily from the largest on. The smallest of them is the round in which a
/// broadcast of one block reaches the position. Where there are several blocks, the position's own block has this
/// number.
int Circulant::own_block(int position) const
{
    int round = rounds();
    while (round > 0 && position > 0) {
        --round;
        if (skip(round) == position) return round;
        if (skip(round) < position) position -= skip(round);
    }
    return rounds();
}

namespace {

/// Looks for the positions whose own blocks another one takes over: one a round, each before the position of the last
/// round. They are found as sums of skips, depth first from the largest skip on.
class Search {
public:
    Search(const Circulant& graph, int position, int own, int rounds)
        : graph_(graph),
          rounds_(rounds),
          target_(graph.size() + std::int64_t{position}),
          last_(2 * std::int64_t{graph.size()}),
          left_(((std::uint64_t{2} << graph.rounds()) - 1) & ~(std::uint64_t{1} << own))
    {
        below(0, graph.rounds());
    }

    const std::vector<int>& found() const { return found_; }

private:
    int round() const { return static_cast<int>(found_.size()); }
    bool is_done() const { return round() == rounds_; }
    /// Whether a sum reaches the target in this round or later.
    bool reaches(std::int64_t sum) const
    {
        return sum <= target_ - graph_.skip(round()) && sum < last_;
    }
    /// Whether a sum reaches it in a later round.
    bool is_too_far(std::int64_t sum) const { return sum <= target_ - graph_.skip(round() + 1); }

    /// Tries sums of `sum` and of skips up to number `largest`.
    void below(std::int64_t sum, int largest)
    {
        for (int skip = largest; skip >= 0 && !is_done(); --skip) {
            const std::int64_t next = sum + graph_.skip(skip);
            if (!(left_ >> skip & 1) || !reaches(next)) continue;
            if (is_too_far(next)) below(next, skip - 1);
            if (is_done() || !is_too_far(sum)) return;
            if (!reaches(next) || !(left_ >> skip & 1)) continue;
            last_ = next;
            found_.push_back(skip);
            left_ &= ~(std::uint64_t{1} << skip);
        }
    }

    const Circulant& graph_;
    int rounds_;
    std::int64_t target_, last_;
    std::uint64_t left_;  ///< blocks that are not received yet, a bit each
    std::vector<int> found_;
};

}  // namespace

std::vector<int> Circulant::receives(int position) const { return receives(position, rounds()); }

std::vector<int> Circulant::receives(int position, int first_rounds) const
{
    const int own = own_block(position);
    std::vector<int> blocks = Search(*this, position, own, first_rounds).found();
    // The block that position 0 gives is new, all others are of the phase before.
    for (int& block : blocks) block = block == rounds() ? own : block - rounds();
    return blocks;
}

std::vector<int> Circulant::sends(int position) const
{
    std::vector<int> blocks;
    for (int round = 0; round < rounds(); ++round)
        blocks.push_back(receives(after(position, round), round + 1).back());
    return blocks;
}

CirculantBroadcast::CirculantBroadcast(int position, int size, int blocks)
    : graph_(size),
      position_(position),
      blocks_(blocks)
{
    if (size == 1 || blocks == 0) return;
    const int phase = graph_.rounds();
    rounds_ = blocks - 1 + phase;
    skipped_ = (phase - rounds_ % phase) % phase;  // rounds of the first phase: the last is whole
    sends_ = graph_.sends(position);
    receives_ = graph_.receives(position);
}

CirculantBroadcast::Round CirculantBroadcast::operator[](int round) const
{
    const int at = (round + skipped_) % graph_.rounds(),
              phases = (round + skipped_) / graph_.rounds();
    const int to = graph_.after(position_, at), from = graph_.before(position_, at);
    const auto block = [&](const std::vector<int>& schedule) {
        const int number =
            schedule[static_cast<std::size_t>(at)] + phases * graph_.rounds() - skipped_;
        return number < 0 ? none : std::min(number, blocks_ - 1);
    };
    return {to == 0 ? none : block(sends_), to, position_ == 0 ? none : block(receives_), from};
}

}  // namespace laneway
