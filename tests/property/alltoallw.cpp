// SPDX-License-Identifier: BSD-3-Clause
#include "rows_for_all.hpp"

namespace laneway::property {

/// By the algorithms of an alltoallv.
static void run_alltoallw(Trial& trial)
{
    const Case& now = trial.of();
    RowsForAll rows(trial, Row::Types::by_block);
    const auto exchange = [&](const auto& function, const auto& received) {
        const auto sent = significant_if(!trial.in_place(), arrays_like(received, rows.input));
        const void* const sendbuf = trial.in_place() ? MPI_IN_PLACE : rows.input.data();
        const MPI_Datatype* const sendtypes = trial.in_place() ? garbage_types : rows.input.types();
        return function(now.algorithm.data(), sendbuf, sent.counts, sent.places, sendtypes,
                        rows.result.data(), received.counts, received.places, rows.result.types(),
                        trial.comm());
    };
    rows.serve(trial, [&] { return LANEWAY_VECTOR_CALL(alltoallw, now, rows.result, exchange); });
}

static const Collective::Register entry({
    .name = "alltoallw",
    .in_place = true,
    .blocks = true,
    .places = {Places::in_order, Places::apart, Places::reversed, Places::overlapping},
    .algorithms = algorithms_of<Alltoallv>,
    .run = run_alltoallw,
});

}  // namespace laneway::property
