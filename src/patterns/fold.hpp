// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>

namespace laneway {

/// A fold of `size` processes that act as `actors`, at least half as many. The first pairs of neighbours act as one,
/// by the first of the two. So an actor stands for a row of neighbours, and so do several actors in a row.
class Fold {
public:
    Fold(int size, int actors) : actors_(actors), pairs_(size - actors) {}

    int actors() const { return actors_; }
    /// Whether there are processes that others act for.
    bool folds() const { return pairs_ > 0; }

    int actor_of(int position) const
    {
        return position < 2 * pairs_ ? position / 2 : position - pairs_;
    }
    /// The position of the process that acts. For the actor past the last one, it is where positions end.
    int position_of(int actor) const { return actor + std::min(actor, pairs_); }

    bool acts(int position) const { return position_of(actor_of(position)) == position; }
    /// Whether the process is one of a pair.
    bool paired(int position) const { return position < 2 * pairs_; }
    /// The other process of the pair.
    static int partner(int position) { return position ^ 1; }

private:
    int actors_;
    int pairs_;
};

/// A fold onto the largest power of two.
inline Fold onto_cube(int size)
{
    return {size, static_cast<int>(std::bit_floor(static_cast<unsigned>(size)))};
}

}  // namespace laneway
