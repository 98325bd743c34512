// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"

namespace laneway {

/// Process j of node v gathers, on lane j, the blocks of ranks j, n + j, 2n + j, ...: every n-th
/// block of the result. On the node, these columns interlace to the whole.
static void allgather_lane(const Allgather& call, const Decomposition& on)
{
    if (on.nodes() == 1) return serve(Allgather{call.mine, call.result}, on.node);
    if (on.node.size() == 1) return serve(Allgather{call.mine, call.result}, on.lane(0));

    const int nodes = on.nodes(), size = on.node.size(), local = on.node.rank();
    const int length = static_cast<int>(call.result.count) / on.world.size();
    const Datatype block = Datatype::strided(1, length, length, call.result.type, size * length);
    const Datatype column =
        Datatype::strided(nodes, length, size * length, call.result.type, length);

    const Buffer own_column = call.result.slice(std::int64_t{local} * length, length);
    serve_plainly(Allgather{call.mine, Buffer::of(own_column.data, nodes, block)}, on.lane(local));
    const Buffer columns = Buffer::of(call.result.data, size, column);
    serve_plainly(Allgather{columns.slice(local, 1), columns}, on.node);
}

static const Register<Allgather> entry({
    .run = allgather_lane,
    .needs = {.regular = true, .consecutive = true},
    .otherwise = "lane_reorder",
    .about = {.idea = "allgather on all lanes at once, then on every node, straight to the final "
                      "places by strided datatypes (zero-copy)",
              .rounds = "log_4 n + log_4 N",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "none",
              .source = "Traeff and Hunold 2020, Section 3.3 and Listing 5"},
});

}  // namespace laneway
