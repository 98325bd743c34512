// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/rounds.hpp"

#include "patterns/fold.hpp"

namespace laneway {
namespace {

/// The positions first, first + step ..., counted on from 0 after the last.
std::vector<int> row(int first, int count, int size, int step = 1)
{
    std::vector<int> positions;
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

}  // namespace laneway
