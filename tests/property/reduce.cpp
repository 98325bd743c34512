// SPDX-License-Identifier: BSD-3-Clause
#include "call_form.hpp"
#include "reduction.hpp"

namespace laneway::property {

static void run_reduce(Trial& trial)
{
    const Case& now = trial.of();
    Operands on(trial);
    void* const recvbuf = trial.is_root() ? on.result.data() : garbage.buffer;
    trial.serve(&on.input.memory(), [&] {
        return LANEWAY_CALL(reduce, now.algorithm.data(), on.sendbuf(), recvbuf, on.result.count(),
                            on.type(), now.op->op, now.root, trial.comm());
    });
    trial.expect_served<Reduce>(reduction_facts(now, on.result.count()), on.result.span(), 0);

    const Bytes reduced = reduced_by_library(
        now, on.packed, 1, [&](const void* input, void* result, int count, MPI_Datatype type) {
            return PMPI_Reduce(input, result, count, type, now.op->op, now.root, trial.comm());
        });
    if (!trial.is_root()) return;
    on.expected.write(reduced);
    expect_reduced(trial, on.result, on.expected);
}

static const Collective::Register entry({
    .name = "reduce",
    .rooted = true,
    .reduces = true,
    .in_place = true,
    .algorithms = algorithms_of<Reduce>,
    .run = run_reduce,
});

}  // namespace laneway::property
