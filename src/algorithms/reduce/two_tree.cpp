// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/two_tree.hpp"
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/side_by_side.hpp"
#include "walks/up.hpp"

namespace laneway {

static void reduce_two_tree(const Reduce& call, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_from(call.root, on, tunables);
    const auto trees = two_tree(order.position(on.world.rank()), on.world.size());
    const Links one = links_of(trees[0], order, on.world);
    Links other = links_of(trees[1], order, on.world);
    other.tag = 1;

    const Partition halves(call.input.count, 2);
    const auto up = [&](int half, const Links& links) {
        return Up(halves.block(call.input, half), halves.block(call.result, half), call.op,
                  tunables["segment"], links);
    };
    std::array<Up, 2> both{up(0, one), up(1, other)};
    const int depth = two_tree_depth(on.world.size());
    side_by_side(both, {depth - one.depth, depth - other.depth});
}

static const Register<Reduce> entry({
    .run = reduce_two_tree,
    .needs = {.commutative = true, .elementwise = true},
    .otherwise = "binary",
    .flat = true,
    .memory = {.message = 2},
    .tunables = {segment_tunable, order_tunable},
    .about = {.idea =
                  "half of the message up each of two binary trees, in segments; who combines in "
                  "one only sends in the other",
              .rounds = "log p - 1 + ceil(m/(2s))",
              .volume = "m a process",
              .memory = "4s; m where S < 3",
              .source = "Sanders, Speck, Traeff 2009; without the colours of its edges, as a "
                        "process receives from both children at once"},
});

}  // namespace laneway
