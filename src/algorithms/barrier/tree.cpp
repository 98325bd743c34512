// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/ordered.hpp"
#include "walks/down.hpp"

namespace laneway {

static void barrier_tree(const Barrier&, const Decomposition& on, const Tunables& tunables)
{
    const Order order = order_from(0, on, tunables);
    const Links links = links_of(tree::knomial(order.position(on.world.rank()), on.world.size(),
                                               static_cast<int>(tunables["radix"])),
                                 order, on.world);
    const auto children = static_cast<std::int64_t>(links.children.size());
    const Scratch signals(children + 1, MPI_BYTE);
    const Buffer own = signals.buffer().slice(children, 1);

    Messages up(on.world);
    for (std::int64_t child = 0; child < children; ++child)
        up.receive(signals.buffer().slice(child, 1),
                   links.children[static_cast<std::size_t>(child)], links.tag);
    up.wait();
    if (!links.is_root()) up.send(own, links.parent, links.tag);
    up.wait();
    send_down(own, whole_message, links);
}

static const Register<Barrier> entry({
    .run = barrier_tree,
    .flat = true,
    .tunables = {radix_tunable, order_tunable},
    .about = {.idea =
                  "up and down a k-nomial tree: the root hears when all have come, and all hear "
                  "of it",
              .rounds = "2 log_r(p (r - 1) + 1) - 2",
              .volume = "none",
              .memory = "none",
              .source = "Mellor-Crummey and Scott 1991, the tree-based barrier, over messages"},
});

}  // namespace laneway
