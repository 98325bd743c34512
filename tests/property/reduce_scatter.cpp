// SPDX-License-Identifier: BSD-3-Clause
#include "reduction.hpp"
#include "vectors.hpp"

namespace laneway::property {

static void run_reduce_scatter(Trial& trial)
{
    const Case& now = trial.of();
    const BlockLengths lengths(now, trial.size());
    const int all = static_cast<int>(lengths.total()), mine = lengths[trial.rank()];
    // Its elements do not matter, but its counts.
    const Row row(plain(Kind::integer), 0, lengths.all(), Places::in_order);
    Operands on(trial, Operands::Lengths{1, all, mine});

    const auto reduce = [&](const auto& function, const auto& arrays) {
        return function(now.algorithm.data(), on.sendbuf(), on.result.data(), arrays.counts,
                        on.type(), now.op->op, trial.comm());
    };
    trial.serve(&on.input.memory(),
                [&] { return LANEWAY_VECTOR_CALL(reduce_scatter, now, row, reduce); });
    trial.expect_served<ReduceScatter>(reduction_facts(now, all), on.input.span(), 0);

    // In place, the result goes to the start and the rest stays, if not where the library itself serves.
    const bool native = std::string_view(laneway_served_by(trial.comm())) == "native";
    if (native && trial.in_place()) on.expected.write(on.result.packed());
    on.expected.write(reduced_by_library(
        now, on.packed, all, mine, [&](const void* input, void* result, MPI_Datatype type) {
            return PMPI_Reduce_scatter(input, result, row.small().counts, type, now.op->op,
                                       trial.comm());
        }));
    expect_reduced(trial, on.result, on.expected);
}

static const Collective::Register entry({
    .name = "reduce_scatter",
    .reduces = true,
    .in_place = true,
    .mixed_in_place = true,
    .blocks = true,
    .places = {Places::in_order},
    .algorithms = algorithms_of<ReduceScatter>,
    .run = run_reduce_scatter,
});

}  // namespace laneway::property
