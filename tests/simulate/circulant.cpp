// SPDX-License-Identifier: BSD-3-Clause
// The circulant graph, and broadcasts on it.
#include "patterns/circulant.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cases/case.hpp"

namespace laneway {
namespace {

using cases::Register;

int log_of(int size) { return static_cast<int>(std::bit_width(static_cast<unsigned>(size - 1))); }

/// Carries a broadcast out: all positions at once, round by round.
void gives_everyone_every_block_once(int size, int blocks)
{
    std::vector<CirculantBroadcast> all;
    for (int position = 0; position < size; ++position) all.emplace_back(position, size, blocks);
    std::vector<std::vector<bool>> has(static_cast<std::size_t>(size),
                                       std::vector<bool>(static_cast<std::size_t>(blocks), false));
    has[0].assign(static_cast<std::size_t>(blocks), true);
    EQUAL(all[0].rounds(), size == 1 ? 0 : blocks - 1 + log_of(size));

    struct Message {
        std::size_t to, block;
    };
    std::vector<Message> sent;
    for (int round = 0; round < all[0].rounds(); ++round) {
        sent.clear();
        std::size_t expected = 0;
        for (int position = 0; position < size; ++position) {
            const auto [block, to, received, from] = all[static_cast<std::size_t>(position)][round];
            expected += received != CirculantBroadcast::none;
            if (block == CirculantBroadcast::none) continue;
            TRUE(has[static_cast<std::size_t>(position)][static_cast<std::size_t>(block)]);
            const auto there = all[static_cast<std::size_t>(to)][round];
            EQUAL(there.received, block);
            EQUAL(there.from, position);
            sent.push_back({static_cast<std::size_t>(to), static_cast<std::size_t>(block)});
        }
        EQUAL(sent.size(), expected);
        for (const auto [to, block] : sent) {
            TRUE(!has[to][block]);
            has[to][block] = true;
        }
    }
    for (const auto& own : has) TRUE(std::ranges::all_of(own, [](bool one) { return one; }));
}

const Register skips("skips are halves rounded up, to 1", [] {
    for (int size = 1; size <= 4096; ++size) {
        const Circulant graph(size);
        EQUAL(graph.rounds(), log_of(size));
        EQUAL(graph.skip(0), 1);
        EQUAL(graph.skip(graph.rounds()), size);
        for (int round = 0; round < graph.rounds(); ++round)
            EQUAL(graph.skip(round), (graph.skip(round + 1) + 1) / 2);
    }
});

/// Checks what makes a broadcast of any number of blocks right, phase after phase of graph.rounds() rounds. Everyone
/// receives a new block, one of all others of the phase before, and sends none before it has it.
void schedules_fit_together(int size)
{
    const Circulant graph(size);
    const int rounds = graph.rounds();
    std::vector<std::vector<int>> receives;
    for (int position = 0; position < size; ++position)
        receives.push_back(graph.receives(position));
    for (int position = 0; position < size; ++position) {
        const auto& mine = receives[static_cast<std::size_t>(position)];
        const int own = *std::ranges::max_element(mine);
        std::uint64_t has = 0;  // a bit each, from block -rounds on
        const auto bit = [&](int block) { return std::uint64_t{1} << (block + rounds); };
        if (position > 0) has = bit(own - rounds);
        for (int round = 0; round < rounds; ++round) {
            const int to = graph.after(position, round),
                      received = mine[static_cast<std::size_t>(round)];
            const int sent =
                receives[static_cast<std::size_t>(to)][static_cast<std::size_t>(round)];
            if (position == 0) EQUAL(sent, round);
            if (position > 0 && to > 0) TRUE((has & bit(sent)) != 0);
            if (position > 0) TRUE(received == own || received < 0);
            if (position > 0) EQUAL(has & bit(received), std::uint64_t{0});
            has |= bit(received);
        }
    }
}

const Register schedules("each position computes the schedule that fits to all others'", [] {
    for (int size = 2; size <= 2048; ++size) schedules_fit_together(size);
});

const Register broadcasts("a broadcast gives everyone every block once, in the fewest rounds", [] {
    for (int size = 1; size <= 200; ++size)
        for (const int blocks : {1, 2, 3, 5, 8, 9, 23})
            gives_everyone_every_block_once(size, blocks);
    EQUAL(CirculantBroadcast(1, 3, 0).rounds(), 0);
});

}  // namespace
}  // namespace laneway
