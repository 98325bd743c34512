// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/down.hpp"

namespace laneway {

static void bcast_binary(const Bcast& call, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_from(call.root, on, tunables);
    const Tree tree = tree::binary(order.position(on.world.rank()), on.world.size());
    send_down(call.data, tunables["segment"], links_of(tree, order, on.world));
}

static const Register<Bcast> entry({
    .run = bcast_binary,
    .flat = true,
    .tunables = {segment_tunable, order_tunable},
    .about = {.idea = "segments down a balanced binary tree",
              .rounds = "log(p+1) - 2 + S",
              .volume = "2m a process; m a process where p < 3",
              .memory = "none",
              .source = "Pjesivac-Grbovic et al. 2007, binary tree; numbered in "
                        "preorder, so that subtrees lie on neighbouring nodes"},
});

}  // namespace laneway
