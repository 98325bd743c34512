// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/blocks_by_lanes.hpp"

#include "decomposition/node_phase.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

void reduce_scatter_by_lanes(const ReduceScatterBlock& call, const Shares& shares,
                             const Decomposition& on)
{
    const MPI_Datatype type = call.input.type;
    const Partition sections = shares.sections();
    const Datatype places = shares.places(type);
    const Scratch permuted(sections.count(), type);
    copy(Buffer::of(call.input.data, 1, places), permuted.buffer(), on.world);

    const Scratch served(shares.served(), type);
    reduce_scatter_parts(permuted.buffer(), served.buffer(), sections, call.op, on);

    const Scratch redistributed(on.regular() ? 0 : shares.owned(), type);
    const Buffer owned = on.regular() ? call.result : redistributed.buffer();
    shares.for_lanes(served.buffer(), owned, [&](const Shares::Served& its) {
        reduce_scatter(its.column, its.share, its.nodes, call.op, on.lane(its.lane));
    });
    if (!on.regular()) shares.to_blocks(owned, call.result);
}

}  // namespace laneway
