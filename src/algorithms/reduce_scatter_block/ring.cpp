// SPDX-License-Identifier: BSD-3-Clause
#include "walks/ring.hpp"
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "data/segments.hpp"
#include "decomposition/components.hpp"
#include "decomposition/ordered.hpp"

namespace laneway {

static void reduce_scatter_block_ring(const ReduceScatterBlock& call, const Decomposition& on,
                                      const Tunables& tunables)
{
    const Partition part(call.input.count, on.world.size());
    const Scratch sums(call.input.count, call.input.type);
    reduce_scatter_ring(call.input, sums.buffer(), part, call.op, whole_message,
                        order_from(0, on, tunables), on.world);
    copy(part.block(sums.buffer(), on.world.rank()), call.result, on.world);
}

static const Register<ReduceScatterBlock> entry({
    .run = reduce_scatter_block_ring,
    .needs = {.commutative = true, .elementwise = true},
    .otherwise = "pairwise",
    .flat = true,
    .memory = {.message = 1},
    .tunables = {order_tunable},
    .about = {.idea = "each block goes round, and everyone adds its own to it",
              .rounds = "p - 1",
              .volume = "(p - 1) m a process",
              .memory = "p m",
              .source = "Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters "
                        "of workstations, 2009"},
});

}  // namespace laneway
