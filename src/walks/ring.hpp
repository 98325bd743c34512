// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "data/buffer.hpp"
#include "data/partition.hpp"
#include "layout/order.hpp"
#include "messages/comm.hpp"

/// Blocks that travel round. Block r is that of rank r.
namespace laneway {

/// Brings everyone's block of `whole` to all.
void allgather_ring(const Buffer& whole, const Partition& part, const Order& order,
                    const Comm& comm);

/// Does so in segments of so many bytes, each passed on as soon as it has come. So nobody waits for the longest block.
void allgather_ring(const Buffer& whole, const Partition& part, std::int64_t segment,
                    const Order& order, const Comm& comm);

/// Brings everyone's block of the reduction to its place in `sums`, which may be the input, in segments of so many
/// bytes. Operands are not combined in rank order.
void reduce_scatter_ring(const Buffer& input, const Buffer& sums, const Partition& part, MPI_Op op,
                         std::int64_t segment, const Order& order, const Comm& comm);

}  // namespace laneway
