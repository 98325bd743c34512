// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/node_phase.hpp"
#include "decomposition/shares.hpp"

namespace laneway {

static void allgatherv_lane(const Allgatherv& call, const Decomposition& on)
{
    const MPI_Datatype type = call.result.type;
    const Shares shares(call.part, on);
    const Partition sections = shares.sections();
    const Scratch gathered(sections.count(), type), owned(shares.owned(), type);

    shares.from_blocks(call.mine, owned.buffer());
    std::int64_t done = 0;
    on.for_lanes([&](int lane) {
        const std::int64_t length = shares.of_node(on.node_index()).size(lane);
        serve(Allgatherv{owned.buffer().slice(done, length),
                         sections.block(gathered.buffer(), lane), shares.on_lane(lane)},
              on.lane(lane));
        done += length;
    });
    allgather_parts(gathered.buffer(), sections, on);
    copy(gathered.buffer(), shares.places(call.result).first, on.world);
}

static const Register<Allgatherv> entry({
    .run = allgatherv_lane,
    .memory = {.message = 2},
    .about = {.idea = "the blocks of a node are cut into equal shares whatever the counts, one a "
                      "lane; allgather of "
                      "shares on all lanes at once, then on every node, and one local reordering",
              .rounds = "log_4 n + log_4 N",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "(p + 1) m",
              .source = "Traeff and Hunold 2020, Section 4.3; shares of any counts are ours"},
});

}  // namespace laneway
