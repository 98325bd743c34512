// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/node_phase.hpp"
#include "decomposition/shares.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

/// The blocks are brought into the order of the lanes first, so that both reduce-scatters work on
/// consecutive data.
static void reduce_scatter_block_lane(const ReduceScatterBlock& call, const Decomposition& on)
{
    const MPI_Datatype type = call.input.type;
    const Shares shares(call.result.count, on);
    const Datatype places = shares.places(type);
    const Scratch permuted(call.input.count, type);
    copy(Buffer::of(call.input.data, 1, places), permuted.buffer(), on.world);

    const Scratch served(shares.served(), type);
    reduce_scatter_parts(permuted.buffer(), served.buffer(), shares.sections(), call.op, on);

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

static const Register<ReduceScatterBlock> entry({
    .run = reduce_scatter_block_lane,
    .needs = {.rank_order = true},
    .memory = {.message = 1, .shares = 1, .redistributed = 1},
    .about = {.idea = "reduce-scatter on every node, then on all lanes at once, blocks permuted "
                      "beforehand",
              .rounds = "log n + log N; one more where nodes differ in size",
              .volume = "(p-1) m a process; (p-n) m a node",
              .memory = "(p + N) m; at most 3 p m where nodes differ in size",
              .source =
                  "Traeff and Hunold 2020, Section 3.4 and Listing 8; irregular communicators are "
                  "ours"},
});

}  // namespace laneway
