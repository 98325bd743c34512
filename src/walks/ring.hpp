// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/order.hpp"
#include "mpi/buffer.hpp"
#include "mpi/comm.hpp"
#include "mpi/partition.hpp"

/// Blocks that travel round. Block r is that of rank r.
namespace laneway {

/// Everyone's block of `whole` to all.
void allgather_ring(const Buffer& whole, const Partition& part, const Order& order,
                    const Comm& comm);

}  // namespace laneway
