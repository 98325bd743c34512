// SPDX-License-Identifier: BSD-3-Clause
#include "call_form.hpp"
#include "reduction.hpp"

namespace laneway::property {

static void run_reduce_scatter_block(Trial& trial)
{
    const Case& now = trial.of();
    Operands on(trial, trial.size());
    trial.serve(&on.input.memory(), [&] {
        return LANEWAY_CALL(reduce_scatter_block, now.algorithm.data(), on.sendbuf(),
                            on.result.data(), on.result.count(), on.type(), now.op->op,
                            trial.comm());
    });
    const std::int64_t all = std::int64_t{on.result.count()} * trial.size();
    trial.expect_served<ReduceScatterBlock>(reduction_facts(now, all), on.input.span(), 0);

    // In place, the result goes to the first block and the others stay.
    on.expected.write(reduced_by_library(
        now, on.packed, trial.size(),
        [&](const void* input, void* result, int count, MPI_Datatype type) {
            return PMPI_Reduce_scatter_block(input, result, count, type, now.op->op, trial.comm());
        }));
    expect_reduced(trial, on.result, on.expected);
}

static const Collective::Register entry({
    .name = "reduce_scatter_block",
    .reduces = true,
    .in_place = true,
    .mixed_in_place = true,
    .blocks = true,
    .algorithms = algorithms_of<ReduceScatterBlock>,
    .run = run_reduce_scatter_block,
});

}  // namespace laneway::property
