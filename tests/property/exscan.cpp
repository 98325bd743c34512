// SPDX-License-Identifier: BSD-3-Clause
#include "call_form.hpp"
#include "reduction.hpp"

namespace laneway::property {

static void run_exscan(Trial& trial)
{
    const Case& now = trial.of();
    Operands on(trial);
    trial.serve(&on.input.memory(), [&] {
        return LANEWAY_CALL(exscan, now.algorithm.data(), on.sendbuf(), on.result.data(),
                            on.result.count(), on.type(), now.op->op, trial.comm());
    });
    trial.expect_served<Exscan>(reduction_facts(now, on.result.count()), on.result.span(), 0);

    const Bytes reduced = reduced_by_library(
        now, on.packed, 1, [&](const void* input, void* result, int count, MPI_Datatype type) {
            return PMPI_Exscan(input, result, count, type, now.op->op, trial.comm());
        });
    // On rank 0 nothing is written: in place, the input stays.
    if (trial.rank() > 0) on.expected.write(reduced);
    expect_reduced(trial, on.result, on.expected);
}

static const Collective::Register entry({
    .name = "exscan",
    .reduces = true,
    .in_place = true,
    .mixed_in_place = true,
    .algorithms = algorithms_of<Exscan>,
    .run = run_exscan,
});

}  // namespace laneway::property
