// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "patterns/tree.hpp"

/// Broadcasts of blocks 0, 1 ... from position 0, block after block, as one position sees them. A block that arrives
/// in a round may leave from the next one on. At position 0, blocks arrive from `outside`: so the rounds have what
/// feeds it, too. Backwards, each is a reduction.
namespace laneway::pipelined {

inline constexpr int outside = Tree::none;

/// A block from or to the position `peer`.
struct Transfer {
    int block, peer;
};
struct Round {
    std::vector<Transfer> arriving, leaving;
};
using Rounds = std::vector<Round>;

/// The rounds of a position of `size`; rounds after its last message are not there.
using Pattern = Rounds (*)(int position, int size, int blocks);

/// A broadcast along all positions, one after the other.
Rounds chain(int position, int size, int blocks);

/// A broadcast down a balanced binary tree.
Rounds binary(int position, int size, int blocks);

/// A broadcast of every second block down each of two binary trees: a position that sends in one only receives in the
/// other.
Rounds two_tree(int position, int size, int blocks);

/// A broadcast on a circulant graph: a position sends a block and receives another one in each round.
Rounds circulant(int position, int size, int blocks);

}  // namespace laneway::pipelined
