// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/order.hpp"
#include "mpi/buffer.hpp"
#include "mpi/comm.hpp"
#include "mpi/partition.hpp"
#include "patterns/tree.hpp"

/// A block a rank, `part.block(whole, rank)` on the root, along a tree over positions of an order: each message has
/// the blocks of a subtree, in the order of positions. Leaves look at no `part`.
///
/// Temporary memory: the blocks of a process's subtree, unless it is a leaf; at the root, only those of subtrees that
/// don't lie side by side in rank order.
namespace laneway {

/// From the root to `mine` on every rank.
void scatter_down(const Buffer& whole, const Buffer& mine, const Partition& part, const Tree& tree,
                  const Order& order, const Comm& comm);

/// From `mine` on every rank to the root.
void gather_up(const Buffer& mine, const Buffer& whole, const Partition& part, const Tree& tree,
               const Order& order, const Comm& comm);
/// The same, where the block of position i is `part.block(whole, blocks.rank(i))`.
void gather_up(const Buffer& mine, const Buffer& whole, const Partition& part, const Tree& tree,
               const Order& order, const Order& blocks, const Comm& comm);

}  // namespace laneway
