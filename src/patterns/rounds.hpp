// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "containers/few.hpp"

/// How all blocks reach all processes, in rounds. Each process begins with the block of its own position, and sends
/// blocks on in each round.
namespace laneway {

/// Numbers of blocks, which are those of positions.
using Blocks = Few<int, 4>;

/// These blocks, to or from the process of position `peer`.
struct Transfer {
    int peer;
    Blocks blocks;
};

struct Round {
    Few<Transfer, 3> leaving, arriving;
};
using Rounds = Few<Round, 2>;

/// Pairs exchange all that they have, at twice the distance in each round. Where `size` is no power of two, some give
/// their block to a neighbour first, and get all others from it in the end.
Rounds recursive_doubling(int position, int size);

/// Everyone passes on all that it has, its own block first, as far as the receivers want it. The receivers are the
/// `radix` - 1 processes at the next distances before it.
Rounds bruck(int position, int size, int radix);

/// Everyone passes on all that it has to one process in each round. The distances are halves of the size, rounded up:
/// those of a circulant graph (circulant.hpp).
Rounds circulant(int position, int size);

/// Everyone passes on what it has at half the distance in each round, the farthest first: so most blocks go to the
/// nearest.
Rounds sparbit(int position, int size);

/// The round in which two positions meet, where all meet all in as few rounds as can be. Nobody meets two others in one
/// round. The positions may be in either order.
int meeting(int one, int other, int size);
/// The number of these rounds.
constexpr int meetings(int size) { return size % 2 == 0 ? size - 1 : size; }

/// Neighbours exchange the last two blocks that they got, on one side and on the other in turn. Where `size` is odd,
/// they exchange the last one, on both sides at once.
Rounds neighbor_exchange(int position, int size);

}  // namespace laneway
