// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "data/buffer.hpp"
#include "data/partition.hpp"
#include "layout/order.hpp"
#include "messages/comm.hpp"

/// Walks on the circulant graph over the positions of an order (patterns/circulant.hpp). Reductions are combined in
/// no order: operators commute.
namespace laneway {

/// A broadcast from position 0, in segments of so many bytes. A process sends and receives one segment in a round.
void circulant_bcast(const Buffer& data, std::int64_t segment, const Order& order,
                     const Comm& comm);

/// The broadcast backwards. Temporary memory: the message, but at position 0, and a segment.
void circulant_reduce(const Buffer& input, const Buffer& result, MPI_Op op, std::int64_t segment,
                      const Order& order, const Comm& comm);

/// Brings a block of the reduction to everyone's `result`, which may lie anywhere in the input: to position i, block
/// `blocks.rank(i)`. Temporary memory: half of the blocks, twice.
void circulant_reduce_scatter(const Buffer& input, const Buffer& result, const Partition& part,
                              MPI_Op op, const Order& order, const Order& blocks, const Comm& comm);

}  // namespace laneway
