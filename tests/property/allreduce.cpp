// SPDX-License-Identifier: BSD-3-Clause
#include "call_form.hpp"
#include "reduction.hpp"

namespace laneway::property {

/// Even where the order of operations shows, all ranks must hold the same bits.
static void expect_same_everywhere(Trial& trial, const Slot& ours)
{
    const Bytes mine = ours.packed();
    Bytes of_rank_0 = mine;
    check(PMPI_Bcast(of_rank_0.data(), static_cast<int>(of_rank_0.size()), MPI_BYTE, 0,
                     trial.comm()));
    trial.expect(mine == of_rank_0, "the result differs from that of rank 0 in its bits");
}

static void run_allreduce(Trial& trial)
{
    const Case& now = trial.of();
    Operands on(trial);
    trial.serve(&on.input.memory(), [&] {
        return LANEWAY_CALL(allreduce, now.algorithm.data(), on.sendbuf(), on.result.data(),
                            on.result.count(), on.type(), now.op->op, trial.comm());
    });
    trial.expect_served<Allreduce>(reduction_facts(now, on.result.count()), on.result.span(), 0);

    on.expected.write(reduced_by_library(
        now, on.packed, 1, [&](const void* input, void* result, int count, MPI_Datatype type) {
            return PMPI_Allreduce(input, result, count, type, now.op->op, trial.comm());
        }));
    if (!now.op->exact) expect_same_everywhere(trial, on.result);
    expect_reduced(trial, on.result, on.expected);
}

static const Collective::Register entry({
    .name = "allreduce",
    .reduces = true,
    .in_place = true,
    .algorithms = algorithms_of<Allreduce>,
    .run = run_allreduce,
});

}  // namespace laneway::property
