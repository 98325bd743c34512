// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/exchange.hpp"
#include "collectives/algorithm.hpp"

namespace laneway {

static void alltoall_lane_reorder(const Alltoall& call, const Decomposition& on)
{
    exchange(call, on);
}

static const Register<Alltoall> entry({
    .run = alltoall_lane_reorder,
    .memory = {.row_shares = 2},
    .about = {.idea = "what nodes have for nodes, cut into one share a lane: to the shares' owners "
                      "on every node, alltoall on all lanes at once, from the owners to its places",
              .rounds = "2; 1 where n < 2",
              .volume = "(N-1) n m + (n-1) N m a process; n (p-n) m a node",
              .memory = "2 p m; at most 2 (1 + n/k) p m where nodes differ in size",
              .source = "Traeff and Hunold 2020, Section 3.6; irregular communicators are ours"},
});

}  // namespace laneway
