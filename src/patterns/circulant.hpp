// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace laneway {

/// The circulant graph on positions 0 to size - 1. Position i has edges to i + skip(k), modulo the size. Each skip is
/// half of the next one, rounded up, and the last one is the size.
class Circulant {
public:
    explicit Circulant(int size);

    int size() const { return skips_.back(); }
    /// ceil(log2 size): as many edges leave each position.
    int rounds() const { return static_cast<int>(skips_.size()) - 1; }
    int skip(int round) const { return skips_[static_cast<std::size_t>(round)]; }
    int after(int position, int round) const { return (position + skip(round)) % size(); }
    int before(int position, int round) const { return (position - skip(round) + size()) % size(); }

    /// The block that a position receives in each round of a phase, in a broadcast from position 0. A phase has
    /// rounds() rounds. One block is new, negative ones are of the phase before. In O(log size) steps.
    std::vector<int> receives(int position) const;
    /// The block that it sends in each round, which is received at the other end. In O(log^2 size) steps.
    std::vector<int> sends(int position) const;

private:
    int own_block(int position) const;
    std::vector<int> receives(int position, int first_rounds) const;

    std::vector<int> skips_;
};

/// A broadcast of blocks from position 0 of a circulant graph, in as few rounds as there can be. A position sends a
/// block and receives one in each.
class CirculantBroadcast {
public:
    static constexpr int none = -1;

    CirculantBroadcast(int position, int size, int blocks);

    /// blocks - 1 + ceil(log2 size).
    int rounds() const { return rounds_; }

    /// Blocks and the positions at the other ends. A block that is `none` does not travel.
    struct Round {
        int sent, to;
        int received, from;
    };
    Round operator[](int round) const;

private:
    Circulant graph_;
    int position_, blocks_;
    int rounds_ = 0, skipped_ = 0;
    std::vector<int> sends_, receives_;
};

}  // namespace laneway
