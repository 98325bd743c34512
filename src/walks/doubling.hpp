// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/order.hpp"
#include "mpi/buffer.hpp"
#include "mpi/comm.hpp"
#include "mpi/partition.hpp"

namespace laneway {

/// Everyone's block of `whole` to all, by pairs that exchange what they have, at twice the distance in each
/// round. Block r is that of rank r.
void allgather_doubling(const Buffer& whole, const Partition& part, const Order& order,
                        const Comm& comm);

}  // namespace laneway
