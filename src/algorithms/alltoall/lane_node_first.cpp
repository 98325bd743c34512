// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"

namespace laneway {

/// On the node, process j gets everyone's blocks for the processes j of all nodes. On lane j these blocks
/// go to them.
static void alltoall_lane_node_first(const Alltoall& call, const Decomposition& on)
{
    const int nodes = on.nodes(), size = on.node.size();
    const int length = static_cast<int>(call.result.count) / on.world.size();
    const MPI_Datatype type = call.result.type;
    const Datatype column = Datatype::strided(nodes, length, size * length, type, length);

    const Scratch collected(call.result.count, type);
    serve_plainly(Alltoall{Buffer::of(call.input.data, size, column),
                           Buffer::of(collected.buffer().data, size, column)},
                  on.node);
    serve(Alltoall{collected.buffer(), call.result}, on.lane(on.node.rank()));
}

static const Register<Alltoall> entry({
    .run = alltoall_lane_node_first,
    .needs = {.regular = true, .consecutive = true},
    .otherwise = "lane_reorder",
    .memory = {.message = 1},
    .about = {.idea = "alltoall on every node, then on all lanes at once, by strided datatypes",
              .rounds = "2; 1 where n < 2",
              .volume = "(N-1) n m + (n-1) N m a process; n (p-n) m a node",
              .memory = "p m",
              .source = "Traeff and Hunold 2020, Section 3.6"},
});

}  // namespace laneway
