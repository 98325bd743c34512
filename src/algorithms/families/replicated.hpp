// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "collectives/calls.hpp"
#include "collectives/tunables.hpp"
#include "decomposition/decomposition.hpp"
#include "patterns/pipelined.hpp"

/// A pipelined broadcast or reduction over the nodes, replicated on every lane. Each replica has its lane's share of
/// the data. While a block of it travels, the processes of a node exchange the block before. So T(N, m) rounds of one
/// process a node become T(N, m/k) + 2. Two more are needed as the root feeds the replicas at its node, and as the last
/// block is exchanged. The root itself gives its share to its node, or the last node sends it back there, for one round
/// more (`EdgeBack`). (Traeff and Hunold 2020, Section 5, Proposition 1.)
namespace laneway {

/// The block length of most patterns. On the simulated clock (docs/scale.md), 8 KiB cost up to 1.6 times as much.
inline constexpr Tunable block_tunable = segment_tunable.with_preset(16 << 10);

/// Whether the root's share comes back to its node from the last one.
inline constexpr Tunable back_tunable{
    "back",
    "",
    0,
    0,
    1,
    "1: where nodes are alike, the last node sends the root's share back to the root's node, so "
    "that the root sends each byte once; 0: the root gives its share to its node itself"};

/// The broadcast in blocks of `segment` bytes; with `back`, the root's share comes back from the last position.
void broadcast_replicated(const Bcast& call, const Decomposition& on, std::int64_t segment,
                          pipelined::Pattern pattern, bool back = false);

/// The broadcast backwards; the operator commutes. Temporary memory: the shares that a process serves, but not at the
/// root; two segments; two more for each child of its node.
void reduce_replicated(const Reduce& call, const Decomposition& on, std::int64_t segment,
                       pipelined::Pattern pattern);

}  // namespace laneway
