// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/decomposition.hpp"

namespace laneway {

static void reduce_scatter_block_reduce_scatter(const ReduceScatterBlock& call,
                                                const Decomposition& on)
{
    constexpr int root = 0;
    const MPI_Datatype type = call.input.type;
    const Scratch scratch(on.world.rank() == root ? call.input.count : 0, type);
    const Buffer all{scratch.buffer().data, call.input.count, type, call.input.extent};
    serve_by_ours(Reduce{call.input, all, call.op, root}, on);
    serve_by_ours(Scatter{all, call.result, root}, on);
}

static const Register<ReduceScatterBlock> entry({
    .run = reduce_scatter_block_reduce_scatter,
    .flat = true,
    .memory = {.message = 2},
    .about = {.idea = "all is reduced to rank 0, which sends each block to its process",
              .rounds = "ceil(log(3p+1)/2)",
              .volume = "(3 (ceil(log(p)/2) - 1) + ceil(p/4**(ceil(log(p)/2) - 1)) - 1) p m a "
                        "process",
              .memory = "2 p m",
              .source = "the straightforward algorithm, Open MPI's own (coll/basic); a measure for "
                        "the others"},
});

}  // namespace laneway
