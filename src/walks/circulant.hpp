// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "layout/order.hpp"
#include "mpi/buffer.hpp"
#include "mpi/comm.hpp"
#include "mpi/partition.hpp"

/// On the circulant graph over the positions of an order (patterns/circulant.hpp). Reductions are combined in no
/// order: operators commute.
namespace laneway {

/// From position 0, in segments of so many bytes; one to and from each process in a round.
void circulant_bcast(const Buffer& data, std::int64_t segment, const Order& order,
                     const Comm& comm);

/// The broadcast backwards. Temporary memory: the message, but at position 0, and a segment.
void circulant_reduce(const Buffer& input, const Buffer& result, MPI_Op op, std::int64_t segment,
                      const Order& order, const Comm& comm);

/// Everyone's block of `whole` to all; block r is that of rank r.
void circulant_allgather(const Buffer& whole, const Partition& part, const Order& order,
                         const Comm& comm);

/// Block r of the reduction to `result` on rank r, which may lie anywhere in the input. Temporary memory: half of
/// the blocks, twice.
void circulant_reduce_scatter(const Buffer& input, const Buffer& result, const Partition& part,
                              MPI_Op op, const Order& order, const Comm& comm);

}  // namespace laneway
