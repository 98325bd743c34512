// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/blocks_by_lanes.hpp"

#include "data/scratch.hpp"
#include "data/segments.hpp"
#include "decomposition/node_phase.hpp"
#include "walks/ring.hpp"

namespace laneway {

namespace {

/// Reduce-scatter of a lane's column, to each node its share. Each node adds its own to what comes from the one before.
/// So no node takes in the partial sums of all others at once.
void round_nodes(const Shares::Served& its, MPI_Op op, const Comm& lane)
{
    reduce_scatter_ring(its.column, its.column, its.nodes, op, whole_message, Order(0, lane.size()),
                        lane);
    copy(its.nodes.block(its.column, lane.rank()), its.share, lane);
}

}  // namespace

void reduce_scatter_by_lanes(const Buffer& input, const Buffer& result, MPI_Op op,
                             const Shares& shares, const Decomposition& on, Travel travel)
{
    const MPI_Datatype type = input.type;
    const bool several = on.nodes() > 1, are_blocks = shares.are_blocks();
    const Partition sections = shares.sections();
    const Scratch served(several || !are_blocks ? shares.served() : 0, type);
    const Buffer columns = several || !are_blocks ? served.buffer() : result;
    {
        const Scratch permuted(sections.count(), type);
        copy(shares.places(input).first, permuted.buffer(), on.world);
        reduce_scatter_parts(permuted.buffer(), columns, sections, op, on);
    }
    const Scratch redistributed(several && !are_blocks ? shares.owned() : 0, type);
    const Buffer owned = are_blocks ? result : several ? redistributed.buffer() : columns;
    if (several)
        shares.for_lanes(columns, owned, [&](const Shares::Served& its) {
            if (travel == Travel::round_nodes)
                round_nodes(its, op, on.lane(its.lane));
            else
                serve(ReduceScatter{its.column, its.share, its.nodes, op}, on.lane(its.lane));
        });
    if (!are_blocks) shares.to_blocks(owned, result);
}

}  // namespace laneway
