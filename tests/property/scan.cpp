// SPDX-License-Identifier: BSD-3-Clause
#include "call_form.hpp"
#include "reduction.hpp"

namespace laneway::property {

static void run_scan(Trial& trial)
{
    const Case& now = trial.of();
    Operands on(trial);
    trial.serve(&on.input.memory(), [&] {
        return LANEWAY_CALL(scan, now.algorithm.data(), on.sendbuf(), on.result.data(),
                            on.result.count(), on.type(), now.op->op, trial.comm());
    });
    trial.expect_served<Scan>(reduction_facts(now, on.result.count()), on.result.span(), 0);

    const Bytes reduced = reduced_by_library(
        now, on.packed, 1, [&](const void* input, void* result, int count, MPI_Datatype type) {
            return PMPI_Scan(input, result, count, type, now.op->op, trial.comm());
        });
    on.expected.write(reduced);
    expect_reduced(trial, on.result, on.expected);
}

static const Collective::Register entry({
    .name = "scan",
    .reduces = true,
    .in_place = true,
    .mixed_in_place = true,
    .algorithms = algorithms_of<Scan>,
    .run = run_scan,
});

}  // namespace laneway::property
