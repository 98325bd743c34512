// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

/// Process j of the root's node gathers, on lane j, every n-th block; the root gathers the columns so
/// brought, which interlace to the whole.
static void gather_lane_regular(const Gather& call, const Decomposition& on)
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

    plain::gather(call.mine, own_column, root_node, on.lane(local));
    if (on.node_index() != root_node) return;
    const Buffer whole = Buffer::of(call.whole.data, size, column);
    plain::gather(is_root ? whole.slice(local, 1) : own_column, whole, root_local, on.node);
}

static const Register<Gather> entry({
    .run = gather_lane_regular,
    .needs = {.regular = true, .consecutive = true},
    .otherwise = "lane",
    .memory = {.shares = 1},
    .about =
        {.idea = "gather on all lanes at once to the root's node, then on it, by strided datatypes",
         .rounds = "2; 1 where n < 2",
         .volume = "the root (p-1) m, a process of its node N m; n m a node, the root's (p-n) m",
         .memory = "N m on the root's node, none at the root",
         .source = "Traeff and Hunold 2020, Section 3.2 and Listing 3"},
});

}  // namespace laneway
