// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "data/buffer.hpp"
#include "data/partition.hpp"
#include "layout/order.hpp"
#include "messages/comm.hpp"

/// A block a rank between all and the root, which is position 0: only so many blocks are under way at once, so that
/// long messages neither meet at the root nor wait there for receivers that have not come. Others look at no `part`.
namespace laneway {

/// From the root to `mine` on every rank: who is ready says so by a byte. At most `window` blocks are under way.
void scatter_in_turn(const Buffer& whole, const Buffer& mine, const Partition& part, int window,
                     const Order& order, const Comm& comm);

/// From `mine` on every rank to the root: by a byte, it tells `window` of them at once to send.
void gather_in_turn(const Buffer& mine, const Buffer& whole, const Partition& part, int window,
                    const Order& order, const Comm& comm);

}  // namespace laneway
