// SPDX-License-Identifier: BSD-3-Clause
#include "walks/ring.hpp"
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "decomposition/ordered.hpp"

namespace laneway {

static void reduce_scatter_ring_segmented(const ReduceScatter& call, const Decomposition& on,
                                          const Tunables& tunables)
{
    const Scratch sums(call.input.count, call.input.type);
    reduce_scatter_ring(call.input, sums.buffer(), call.part, call.op, tunables["segment"],
                        order_from(0, on, tunables), on.world);
    copy(call.part.block(sums.buffer(), on.world.rank()), call.result, on.world);
}

static const Register<ReduceScatter> entry({
    .run = reduce_scatter_ring_segmented,
    .needs = {.commutative = true, .elementwise = true},
    .otherwise = "butterfly",
    .flat = true,
    .memory = {.message = 1},
    .tunables = {segment_tunable.with_preset(32 << 10), order_tunable},
    .about = {.idea = "each block goes round in segments, and everyone adds its own to it",
              .rounds = "ceil((p - 1) S/min(S, 4))",
              .volume = "(p - 1) m a process",
              .memory = "p m",
              .source = "Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters "
                        "of workstations, 2009"},
});

}  // namespace laneway
