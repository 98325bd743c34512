// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "data/buffer.hpp"
#include "data/partition.hpp"
#include "layout/order.hpp"
#include "messages/comm.hpp"
#include "patterns/rounds.hpp"

namespace laneway {

/// Copies the caller's block to its place, where it isn't there.
void place(const Buffer& mine, const Buffer& whole, const Partition& part, const Comm& comm);

/// Brings everyone's block of `whole` to all, in the rounds of the calling process. The block of position i is block
/// `blocks.rank(i)`; unless `blocks` is given, blocks stand by rank.
void allgather_in_rounds(const Rounds& rounds, const Buffer& whole, const Partition& part,
                         const Order& order, const Order& blocks, const Comm& comm);
void allgather_in_rounds(const Rounds& rounds, const Buffer& whole, const Partition& part,
                         const Order& order, const Comm& comm);

}  // namespace laneway
