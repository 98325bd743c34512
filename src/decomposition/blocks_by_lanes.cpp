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
    std::int64_t from = 0, to = 0;
    on.for_lanes([&](int lane) {
        const Partition& part = shares.on_lane(lane);
        const std::int64_t length = part.size(on.node_index());
        reduce_scatter(served.buffer().slice(from, part.count()), owned.slice(to, length), part,
                       call.op, on.lane(lane));
        from += part.count();
        to += length;
    });
    if (!on.regular()) shares.to_blocks(owned, call.result);
}

}  // namespace laneway
