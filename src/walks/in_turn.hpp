// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "data/buffer.hpp"
#include "data/partition.hpp"
#include "layout/order.hpp"
#include "messages/comm.hpp"

/// Walks of a block a rank between all and the root, which is position 0. Only so many blocks are under way at once. So
/// long messages neither meet at the root nor wait there for receivers that have not come. Only the root looks at
/// `part`.
namespace laneway {

/// Scatters from the root to `mine` on every rank. A process that is ready says so by a byte. At most `window` blocks
/// are under way.
void scatter_in_turn(const Buffer& whole, const Buffer& mine, const Partition& part, int window,
                     const Order& order, const Comm& comm);

/// Gathers from `mine` on every rank to the root. By a byte each, the root tells `window` ranks at once to send.
void gather_in_turn(const Buffer& mine, const Buffer& whole, const Partition& part, int window,
                    const Order& order, const Comm& comm);

}  // namespace laneway
