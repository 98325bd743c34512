// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/shares.hpp"
#include "mpi/messages.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

static void gather_lane(const Gather& call, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const bool at_root = on.node_index() == root_node;
    const bool is_root = on.world.rank() == call.root;
    const MPI_Datatype type = call.mine.type;
    const Shares shares(call.mine.count, on);

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

static const Register<Gather> entry({
    .run = gather_lane,
    .memory = {.shares = 1, .redistributed = 1},
    .about =
        {.idea = "gather on all lanes at once to the root's node, whose processes give it their "
                 "shares straight to their places",
         .rounds = "log N + n; one more where nodes differ in size",
         .volume = "the root (p-1) m, a process of its node N m; n m a node, the root's (p-n) m",
         .memory = "N m on the root's node; where nodes differ in size p m/k and n m/k everywhere, "
                   "k times "
                   "that where one process serves all lanes",
         .source = "Traeff and Hunold 2020, Section 3.2; irregular communicators are ours"},
});

}  // namespace laneway
