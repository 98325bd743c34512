// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "data/buffer.hpp"
#include "data/partition.hpp"
#include "layout/order.hpp"
#include "messages/comm.hpp"
#include "messages/way.hpp"
#include "patterns/tree.hpp"

/// Walks of a block a rank, `part.block(whole, rank)` on the root, along a tree over positions of an order. Each
/// message has the blocks of a subtree, in the order of positions. Leaves look at no `part`.
///
/// Temporary memory: the blocks of a process's subtree, unless it is a leaf. The root takes it only where the blocks of
/// a subtree don't lie side by side in rank order.
namespace laneway {

/// Brings blocks outwards from the root to `mine` on every rank, or inwards from there.
void walk_blocks(Way way, const Buffer& whole, const Buffer& mine, const Partition& part,
                 const Tree& tree, const Order& order, const Comm& comm);
/// Does so where the block of position i is `part.block(whole, blocks.rank(i))`.
void walk_blocks(Way way, const Buffer& whole, const Buffer& mine, const Partition& part,
                 const Tree& tree, const Order& order, const Order& blocks, const Comm& comm);

}  // namespace laneway
