// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"

namespace laneway {

static void bcast_node_first(const Bcast& call, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);

    if (on.node_index() == root_node) serve(Bcast{call.data, root_local}, on.node);
    serve(Bcast{call.data, root_node}, on.lane(on.node.rank()));
}

static const Register<Bcast> entry({
    .run = bcast_node_first,
    .needs = {.regular = true},
    .about = {.idea = "broadcast on the root's node, then the whole message on every lane",
              .rounds = "log n + log N",
              .volume = "m a process; n m a node",
              .memory = "none",
              .source = "ours; an example"},
});

}  // namespace laneway
