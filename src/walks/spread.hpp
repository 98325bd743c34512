// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "data/buffer.hpp"
#include "data/partition.hpp"
#include "layout/order.hpp"
#include "messages/comm.hpp"

/// A message from position 0 of an order to all, by a scatter down a binomial tree and an allgather. Each block, of
/// which block i is that of position i, goes straight to its place in everyone's `data`. Nobody is sent what it has had
/// from the tree; so the root, whose buffer must not be written to, is sent nothing.
namespace laneway {

/// The allgather is a ring.
void spread_by_ring(const Buffer& data, const Partition& part, const Order& order,
                    const Comm& comm);

/// The allgather is by recursive doubling, of any number of processes: who has no partner hears what it would hear
/// from it from another one of the partner's group.
void spread_by_doubling(const Buffer& data, const Partition& part, const Order& order,
                        const Comm& comm);

}  // namespace laneway
