// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/rounds.hpp"

#include <algorithm>
#include <bit>

#include "patterns/circulant.hpp"
#include "patterns/fold.hpp"

namespace laneway {
namespace {

/// The positions first, first + step ..., counted on from 0 after the last.
Blocks row(int first, int count, int size, int step = 1)
{
    Blocks positions;
    for (int i = 0; i < count; ++i) positions.push_back(((first + i * step) % size + size) % size);
    return positions;
}

}  // namespace

Rounds recursive_doubling(int position, int size)
{
    const Fold fold = onto_cube(size);
    const Transfer to_actor{Fold::partner(position), {position}};
    const Transfer from_actor{Fold::partner(position), row(position + 1, size - 1, size)};
    if (!fold.acts(position)) return {{{to_actor}, {}}, {{}, {from_actor}}};

    const int actor = fold.actor_of(position), folded = position + 1;
    const auto cube = [&](int first, int actors) {
        const int start = fold.position_of(first);
        return row(start, fold.position_of(first + actors) - start, size);
    };
    Rounds rounds;
    if (fold.paired(position)) rounds.push_back({{}, {{folded, {folded}}}});
    for (int step = 1; step < fold.actors(); step *= 2) {
        const int peer = fold.position_of(actor ^ step), own = actor / step * step;
        rounds.push_back({{{peer, cube(own, step)}}, {{peer, cube(own ^ step, step)}}});
    }
    if (fold.paired(position)) rounds.push_back({{{folded, row(folded + 1, size - 1, size)}}, {}});
    return rounds;
}

Rounds bruck(int position, int size, int radix)
{
    Rounds rounds;
    for (int have = 1; have < size; have *= radix) {
        Round& round = rounds.emplace_back();
        for (int distance = have; distance < std::min(have * radix, size); distance += have) {
            const int blocks = std::min(have, size - distance);
            const int from = (position + distance) % size;
            const int to = (position - distance + size) % size;
            round.arriving.push_back({from, row(from, blocks, size)});
            round.leaving.push_back({to, row(position, blocks, size)});
        }
    }
    return rounds;
}

Rounds circulant(int position, int size)
{
    const Circulant graph(size);
    Rounds rounds;
    for (int round = 0; round < graph.rounds(); ++round) {
        const int have = graph.skip(round), come = graph.skip(round + 1) - have;
        const int from = graph.after(position, round), to = graph.before(position, round);
        rounds.push_back({{{to, row(position, come, size)}}, {{from, row(from, come, size)}}});
    }
    return rounds;
}

Rounds sparbit(int position, int size)
{
    Rounds rounds;
    // Blocks of processes at distances that are multiples of twice this one are there.
    for (int distance = std::bit_ceil(static_cast<unsigned>(size)) / 2; distance > 0;
         distance /= 2) {
        const int blocks = (size - distance - 1) / (2 * distance) + 1;
        const int from = (position - distance + size) % size, to = (position + distance) % size;
        rounds.push_back({{{to, row(position, blocks, size, -2 * distance)}},
                          {{from, row(from, blocks, size, -2 * distance)}}});
    }
    return rounds;
}

namespace {

/// Rounds with both neighbours at once: the block that came from one goes on to the other.
Rounds both_neighbors(int position, int size)
{
    const auto at = [&](int distance) { return (position + distance + size) % size; };
    Rounds rounds;
    for (int round = 0; round < size / 2; ++round)
        rounds.push_back({{{at(1), {at(-round)}}, {at(-1), {at(round)}}},
                          {{at(-1), {at(-1 - round)}}, {at(1), {at(1 + round)}}}});
    return rounds;
}

}  // namespace

int meeting(int one, int other, int size)
{
    // Numbers of a pair are summed up. Where there is a position too many for that, it takes the other one's twice.
    const int last = size - 1;
    if (size % 2 == 0 && one == last) one = other;
    if (size % 2 == 0 && other == last) other = one;
    return (one + other) % meetings(size);
}

Rounds neighbor_exchange(int position, int size)
{
    if (size % 2 == 1) return both_neighbors(position, size);
    const int side = position % 2 == 0 ? 1 : -1;  // side of the first neighbour
    const auto neighbor = [&](int at) { return (position + at + size) % size; };
    Rounds rounds{{{{neighbor(side), {position}}}, {{neighbor(side), {neighbor(side)}}}}};
    // From then on pairs of blocks move, those of the pair of positions so many pairs before or after its own.
    const auto pair = [&](int distance) { return row(position / 2 * 2 + 2 * distance, 2, size); };
    for (int round = 1; round < size / 2; ++round) {
        const int direction = round % 2 == 1 ? -side : side, peer = neighbor(direction);
        rounds.push_back({{{peer, pair(-direction * (round / 2))}},
                          {{peer, pair(direction * ((round + 1) / 2))}}});
    }
    return rounds;
}

}  // namespace laneway
