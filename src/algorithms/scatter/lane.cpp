// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/shares.hpp"
#include "mpi/messages.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

static void scatter_lane(const Scatter& call, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const bool at_root = on.node_index() == root_node;
    const bool is_root = on.world.rank() == call.root;
    const MPI_Datatype type = call.mine.type;
    const Shares shares(call.mine.count, on);

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

static const Register<Scatter> entry({
    .run = scatter_lane,
    .memory = {.shares = 1, .redistributed = 1},
    .about =
        {.idea = "the root gives the processes of its node the lanes' shares; scatter on all lanes "
                 "at once",
         .rounds = "n + log N; one more where nodes differ in size",
         .volume = "the root (p-1) m, a process of its node N m; n m a node, the root's (p-n) m",
         .memory = "N m on the root's node; where nodes differ in size p m/k and n m/k everywhere, "
                   "k times "
                   "that where one process serves all lanes",
         .source = "Traeff and Hunold 2020, Section 3.2; irregular communicators are ours"},
});

}  // namespace laneway
