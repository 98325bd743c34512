// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/two_tree.hpp"
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/down.hpp"
#include "walks/side_by_side.hpp"

namespace laneway {

static void bcast_two_tree(const Bcast& call, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_from(call.root, on, tunables);
    const auto trees = two_tree(order.position(on.world.rank()), on.world.size());
    const Links one = links_of(trees[0], order, on.world);
    Links other = links_of(trees[1], order, on.world);
    other.tag = 1;

    const Partition halves(call.data.count, 2);
    std::array<Down, 2> down{Down(halves.block(call.data, 0), tunables["segment"], one),
                             Down(halves.block(call.data, 1), tunables["segment"], other)};
    side_by_side(down, {one.depth, other.depth});
}

static const Register<Bcast> entry({
    .run = bcast_two_tree,
    .flat = true,
    .tunables = {segment_tunable, order_tunable},
    .about = {.idea =
                  "half of the message down each of two binary trees, in segments; who sends in "
                  "one only receives in the other",
              .rounds = "log p - 1 + ceil(m/(2s))",
              .volume = "m a process",
              .memory = "none",
              .source = "Sanders, Speck, Traeff 2009; without the colours of its edges, as a "
                        "process sends to both children at once"},
});

}  // namespace laneway
