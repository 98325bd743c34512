// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "data/buffer.hpp"
#include "data/partition.hpp"
#include "layout/order.hpp"
#include "messages/comm.hpp"

/// Walks of a message from position 0 of an order to all, by a scatter down a binomial tree and an allgather. Block i
/// is that of position i. Each block goes straight to its place in everyone's `data`. Nobody is sent blocks that it has
/// had from the tree. So the root, whose buffer must not be written to, is sent nothing.
namespace laneway {

/// The allgather is a ring.
void spread_by_ring(const Buffer& data, const Partition& part, const Order& order,
                    const Comm& comm);

/// The allgather is by recursive doubling, of any number of processes. A process that has no partner receives the
/// partner's blocks from another one of the partner's group.
void spread_by_doubling(const Buffer& data, const Partition& part, const Order& order,
                        const Comm& comm);

}  // namespace laneway
