// SPDX-License-Identifier: BSD-3-Clause
#include "core/algorithm.hpp"
#include "core/shares.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

/// Blocks of a row of `rows` rows, node by node: where, in the rows that the processes of this node
/// have for all ranks, the blocks for each node stand when they are ordered by node, then by row.
static Datatype by_node(std::int64_t length, int rows, MPI_Datatype type, const Decomposition& on)
{
    std::vector<int> displacements;
    for (int node = 0; node < on.nodes(); ++node)
        for (int row = 0; row < rows; ++row)
            for (const int rank : on.members(node))
                displacements.push_back(
                    static_cast<int>((std::int64_t{row} * on.world.size() + rank) * length));
    return Datatype::indexed(std::vector<int>(displacements.size(), static_cast<int>(length)),
                             displacements, type);
}

/// The other way: node by node, then row by row of that node, blocks for the processes of this node;
/// ordered by process of this node, then by rank of origin.
static Datatype by_rank(std::int64_t length, MPI_Datatype type, const Decomposition& on)
{
    const int size = on.node.size();
    std::vector<int> displacements(static_cast<std::size_t>(size * on.world.size()));
    int at = 0;
    for (int node = 0; node < on.nodes(); ++node)
        for (const int origin : on.members(node))
            for (int local = 0; local < size; ++local)
                displacements[static_cast<std::size_t>(local * on.world.size() + origin)] =
                    static_cast<int>(at++ * length);
    return Datatype::indexed(std::vector<int>(displacements.size(), static_cast<int>(length)),
                             displacements, type);
}

static void alltoall_hierarchical(const Alltoall& call, const Decomposition& on)
{
    constexpr int leader = 0, leaders_lane = 0;
    const bool leads = on.node.rank() == leader;
    const int size = on.node.size();
    const MPI_Datatype type = call.result.type;
    const std::int64_t length = call.result.count / on.world.size();
    const std::int64_t rows = size * call.result.count;
    const MPI_Aint extent = call.result.extent;

    const Scratch gathered(leads ? rows : 0, type), ordered(leads ? rows : 0, type);
    const Buffer whole{gathered.buffer().data, rows, type, extent};
    gather(call.input, whole, leader, on.node);
    if (leads) {
        const Datatype out = by_node(length, size, type, on), in = by_rank(length, type, on);
        copy(Buffer::of(whole.data, 1, out), ordered.buffer(), on.world);
        const Partition exchange = node_blocks(size * length, on);
        alltoallv(ordered.buffer(), exchange, whole, exchange, on.lane(leaders_lane));
        copy(Buffer::of(whole.data, 1, in), ordered.buffer(), on.world);
    }
    scatter({ordered.buffer().data, rows, type, extent}, call.result, leader, on.node);
}

static const Register<Alltoall> entry({
    .run = alltoall_hierarchical,
    .memory = {.rows = 2},
    .about = {.idea =
                  "gather to the first process of every node, which exchange what nodes have for "
                  "nodes, scatter on every node",
              .rounds = "2 log n + N",
              .volume = "a first process 2 (n-1) p m + n (p-n) m; n (p-n) m a node",
              .memory = "2 n p m on first processes",
              .source =
                  "Traeff and Hunold 2020, Section 3.6, not tried there; aggregation by leaders as "
                  "in Traeff and Rougier 2014"},
});

}  // namespace laneway
