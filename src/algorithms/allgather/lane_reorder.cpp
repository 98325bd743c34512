// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/node_phase.hpp"
#include "decomposition/shares.hpp"

namespace laneway {

static void allgather_lane_reorder(const Allgather& call, const Decomposition& on)
{
    const MPI_Datatype type = call.result.type;
    const Shares shares(call.result.count / on.world.size(), on);
    const Partition sections = shares.sections();
    const Scratch gathered(call.result.count, type);

    const Scratch redistributed(on.regular() ? 0 : shares.owned(), type);
    const Buffer owned = on.regular() ? call.mine : redistributed.buffer();
    if (!on.regular()) shares.from_blocks(call.mine, owned);

    std::int64_t done = 0;
    on.for_lanes([&](int lane) {
        const std::int64_t length = shares.of_node(on.node_index()).size(lane);
        serve(Allgatherv{owned.slice(done, length), sections.block(gathered.buffer(), lane),
                         shares.on_lane(lane)},
              on.lane(lane));
        done += length;
    });
    allgather_parts(gathered.buffer(), sections, on);
    copy(gathered.buffer(), shares.places(call.result).first, on.world);
}

static const Register<Allgather> entry({
    .run = allgather_lane_reorder,
    .memory = {.message = 1, .redistributed = 1},
    .about = {.idea = "allgather on all lanes at once, then on every node, in consecutive buffers; "
                      "one local reordering brings the blocks to their places",
              .rounds = "log_4 n + log_4 N",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "p m; at most (p + 1 + n/k) m where nodes differ in size",
              .source = "Traeff and Hunold 2020, Section 4.3; irregular communicators are ours"},
});

}  // namespace laneway
