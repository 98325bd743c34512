// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"

namespace laneway {

/// Process j of node v gets, on lane j, the blocks of the processes j of all nodes for the processes of
/// node v. On the node, everyone gets its column of these blocks.
static void alltoall_lane(const Alltoall& call, const Decomposition& on)
{
    const int nodes = on.nodes(), size = on.node.size();
    const int length = static_cast<int>(call.result.count) / on.world.size();
    const MPI_Datatype type = call.result.type;
    const Datatype column = Datatype::strided(nodes, length, size * length, type, length);

    const Scratch brought(call.result.count, type);
    serve(Alltoall{call.input, brought.buffer()}, on.lane(on.node.rank()));
    serve_plainly(Alltoall{Buffer::of(brought.buffer().data, size, column),
                           Buffer::of(call.result.data, size, column)},
                  on.node);
}

static const Register<Alltoall> entry({
    .run = alltoall_lane,
    .needs = {.regular = true, .consecutive = true},
    .otherwise = "lane_reorder",
    .memory = {.message = 1},
    .about = {.idea = "alltoall on all lanes at once, then on every node, by strided datatypes",
              .rounds = "2; 1 where n < 2",
              .volume = "(N-1) n m + (n-1) N m a process; n (p-n) m a node",
              .memory = "p m",
              .source = "Traeff and Hunold 2020, Section 3.6 and Listing 13"},
});

}  // namespace laneway
