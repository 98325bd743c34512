// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/reduce_scatter_vectors.hpp"

#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "decomposition/node_phase.hpp"

namespace laneway {
void reduce_blocks_by_lanes(const ReduceScatter& call, const Shares& shares,
                            const Decomposition& on)
{
    const MPI_Datatype type = call.input.type;
    const Partition sections = shares.sections();
    const Scratch columns(shares.served(), type);
    {
        const Scratch permuted(sections.count(), type);
        copy(shares.places(call.input).first, permuted.buffer(), on.world);
        reduce_scatter_parts(permuted.buffer(), columns.buffer(), sections, call.op, on);
    }
    const Scratch redistributed(shares.owned(), type);
    const Buffer owned = on.nodes() > 1 ? redistributed.buffer() : columns.buffer();
    if (on.nodes() > 1)
        shares.for_lanes(columns.buffer(), owned, [&](const Shares::Served& its) {
            serve(ReduceScatter{its.column, its.share, its.nodes, call.op}, on.lane(its.lane));
        });
    shares.to_blocks(owned, call.result);
}

}  // namespace laneway
