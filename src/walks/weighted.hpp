// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "data/buffer.hpp"
#include "data/partition.hpp"
#include "messages/comm.hpp"
#include "messages/way.hpp"

namespace laneway {

/// Brings a block a rank, `part.block(whole, rank)` on the root, along a tree by the blocks' lengths
/// (patterns/weighted.hpp). They go outwards from the root to `mine` on every rank, or inwards from there. A message
/// has the blocks of a subtree, which stand side by side. All processes must know all lengths.
///
/// Temporary memory: the blocks of a process's subtree, unless it is a leaf or the root.
void walk_weighted(Way way, const Buffer& whole, const Buffer& mine, const Partition& part,
                   int root, const Comm& comm);

}  // namespace laneway
