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
/// block is exchanged. (Traeff and Hunold 2020, Section 5, Proposition 1; there the leaves send the root's share back
/// to its node, for one round more. Here the root itself gives its share to its node.)
namespace laneway {

/// The block length of most patterns. On the simulated clock (docs/scale.md), 8 KiB cost up to 1.6 times as much.
inline constexpr Tunable block_tunable = segment_tunable.with_preset(16 << 10);

/// The broadcast in blocks of `segment` bytes.
void broadcast_replicated(const Bcast& call, const Decomposition& on, std::int64_t segment,
                          pipelined::Pattern pattern);

/// The broadcast backwards; the operator commutes. Temporary memory: the shares that a process serves, but not at the
/// root; two segments; two more for each child of its node.
void reduce_replicated(const Reduce& call, const Decomposition& on, std::int64_t segment,
                       pipelined::Pattern pattern);

}  // namespace laneway
