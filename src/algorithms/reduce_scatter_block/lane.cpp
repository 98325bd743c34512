// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/blocks_by_lanes.hpp"
#include "decomposition/node_phase.hpp"
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
    reduce_scatter_on_lanes(served.buffer(), call.result, shares, call.op, on);
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
