// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/blocks_by_lanes.hpp"

#include "data/scratch.hpp"
#include "decomposition/node_phase.hpp"

namespace laneway {

void reduce_scatter_by_lanes(const Buffer& input, const Buffer& result, MPI_Op op,
                             const Shares& shares, const Decomposition& on)
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
            serve(ReduceScatter{its.column, its.share, its.nodes, op}, on.lane(its.lane));
        });
    if (!are_blocks) shares.to_blocks(owned, result);
}

}  // namespace laneway
