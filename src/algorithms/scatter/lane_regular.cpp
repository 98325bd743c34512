// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

/// The root scatters, to process j of its node, every n-th block from block j on; these columns are
/// scattered on the lanes.
static void scatter_lane_regular(const Scatter& call, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const int nodes = on.nodes(), size = on.node.size(), local = on.node.rank();
    const int length = static_cast<int>(call.mine.count);
    const MPI_Datatype type = call.mine.type;
    const bool is_root = on.world.rank() == call.root;

    const Datatype block = Datatype::strided(1, length, length, type, size * length);
    const Datatype column = Datatype::strided(nodes, length, size * length, type, length);
    const Scratch scratch(on.node_index() == root_node && !is_root ? nodes * call.mine.count : 0,
                          type);
    const Buffer own_column =
        is_root
            ? Buffer::of(call.whole.slice(std::int64_t{local} * length, 0).data, nodes, block)
            : Buffer{scratch.buffer().data, nodes * call.mine.count, type, scratch.buffer().extent};

    if (on.node_index() == root_node) {
        const Buffer whole = Buffer::of(call.whole.data, size, column);
        plain::scatter(whole, is_root ? whole.slice(local, 1) : own_column, root_local, on.node);
    }
    plain::scatter(own_column, call.mine, root_node, on.lane(local));
}

static const Register<Scatter> entry({
    .run = scatter_lane_regular,
    .needs = {.regular = true, .consecutive = true},
    .otherwise = "lane",
    .memory = {.shares = 1},
    .about = {.idea = "scatter on the root's node, then on all lanes at once, by strided datatypes",
              .rounds = "2; 1 where n < 2",
              .volume =
                  "the root (p-1) m, a process of its node N m; n m a node, the root's (p-n) m",
              .memory = "N m on the root's node, none at the root",
              .source = "Traeff and Hunold 2020, Section 3.2"},
});

}  // namespace laneway
