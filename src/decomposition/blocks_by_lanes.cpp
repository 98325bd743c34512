// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/blocks_by_lanes.hpp"

#include <vector>

#include "decomposition/node_phase.hpp"
#include "mpi/messages.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

void gather_by_lanes(const Gather& call, const Shares& shares, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const bool at_root = on.node_index() == root_node;
    const bool is_root = on.world.rank() == call.root;
    const MPI_Datatype type = call.mine.type;

    const Scratch redistributed(on.regular() ? 0 : shares.owned(), type);
    const Buffer owned = on.regular() ? call.mine : redistributed.buffer();
    if (!on.regular()) shares.from_blocks(call.mine, owned);

    // What the lanes bring to the root's node goes from there straight to its places at the root. In place,
    // the root's own block is among them, and must have left before.
    const Scratch brought(at_root ? shares.served() : 0, type);
    Messages to_root(on.node);
    std::int64_t from = 0, to = 0;
    on.for_lanes([&, root_node = root_node, root_local = root_local](int lane) {
        const std::int64_t length = shares.of_node(on.node_index()).size(lane);
        const Buffer column = brought.buffer().slice(to, shares.on_lane(lane).count());
        gatherv(owned.slice(from, length), column, shares.on_lane(lane), root_node, on.lane(lane));
        if (at_root) to_root.send(column, root_local, lane);
        from += length;
        to += column.count;
    });
    std::vector<Datatype> places;
    for (int lane = 0; is_root && lane < on.lanes(); ++lane) {
        places.push_back(shares.places(lane, type));
        to_root.receive(Buffer::of(call.whole.data, 1, places.back()), on.owner(lane, root_node),
                        lane);
    }
    to_root.wait();
}

void scatter_by_lanes(const Scatter& call, const Shares& shares, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const bool at_root = on.node_index() == root_node;
    const bool is_root = on.world.rank() == call.root;
    const MPI_Datatype type = call.mine.type;

    // The root gives each lane what it shall carry, straight from its places.
    const Scratch given(at_root ? shares.served() : 0, type);
    std::vector<Datatype> places;
    Messages from_root(on.node);
    for (int lane = 0; is_root && lane < on.lanes(); ++lane) {
        places.push_back(shares.places(lane, type));
        from_root.send(Buffer::of(call.whole.data, 1, places.back()), on.owner(lane, root_node),
                       lane);
    }
    std::int64_t from = 0, to = 0;
    on.for_lanes([&, root_local = root_local](int lane) {
        const Buffer column = given.buffer().slice(from, shares.on_lane(lane).count());
        if (at_root) from_root.receive(column, root_local, lane);
        from += column.count;
    });
    from_root.wait();

    const Scratch redistributed(on.regular() ? 0 : shares.owned(), type);
    const Buffer owned = on.regular() ? call.mine : redistributed.buffer();
    from = 0;
    on.for_lanes([&, root_node = root_node](int lane) {
        const Buffer column = given.buffer().slice(from, shares.on_lane(lane).count());
        const std::int64_t length = shares.of_node(on.node_index()).size(lane);
        scatterv(column, owned.slice(to, length), shares.on_lane(lane), root_node, on.lane(lane));
        from += column.count;
        to += length;
    });
    if (!on.regular()) shares.to_blocks(owned, call.mine);
}

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
