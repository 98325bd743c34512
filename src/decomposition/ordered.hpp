// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/tunables.hpp"
#include "decomposition/decomposition.hpp"
#include "layout/order.hpp"
#include "messages/pmpi.hpp"

/// The order in which an algorithm's tree, ring or circulant graph takes the ranks.
namespace laneway {

constexpr Tunable order_tunable{
    "order",
    "",
    1,
    0,
    2,
    "0: processes in the order of their ranks; 1: node after node, from the root's on; "
    "2: the same, socket after socket on each node"};

/// The order from rank `first` on, as the algorithm's tunable says.
inline Order order_from(int first, const Decomposition& on, const Tunables& tunables)
{
    switch (tunables["order"]) {
    case 0:
        return {first, on.world.size()};
    case 1:
        return {first, on};
    default:
        return Order::by_socket(first, on);
    }
}

/// The order by rank from rank 0 on, for operators that don't commute.
inline Order by_rank(const Decomposition& on) { return {0, on.world.size()}; }

/// The order for a reduction to rank `first`: by rank from rank 0 on where the operator does not commute.
inline Order order_for(MPI_Op op, int first, const Decomposition& on, const Tunables& tunables)
{
    return pmpi::is_commutative(op) ? order_from(first, on, tunables) : by_rank(on);
}

}  // namespace laneway
