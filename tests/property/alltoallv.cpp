// SPDX-License-Identifier: BSD-3-Clause
#include "rows_for_all.hpp"

namespace laneway::property {

static void run_alltoallv(Trial& trial)
{
    const Case& now = trial.of();
    RowsForAll rows(trial, Row::Types::one);
    const auto exchange = [&](const auto& function, const auto& received) {
        const auto sent = significant_if(!trial.in_place(), arrays_like(received, rows.input));
        const void* const sendbuf = trial.in_place() ? MPI_IN_PLACE : rows.input.data();
        const MPI_Datatype sendtype = trial.in_place() ? garbage.type : rows.input.type();
        return function(now.algorithm.data(), sendbuf, sent.counts, sent.places, sendtype,
                        rows.result.data(), received.counts, received.places, rows.result.type(),
                        trial.comm());
    };
    rows.serve(trial, [&] { return LANEWAY_VECTOR_CALL(alltoallv, now, rows.result, exchange); });
}

static const Collective::Register entry({
    .name = "alltoallv",
    .in_place = true,
    .blocks = true,
    .places = {Places::in_order, Places::apart, Places::reversed, Places::overlapping},
    .algorithms = algorithms_of<Alltoallv>,
    .run = run_alltoallv,
});

}  // namespace laneway::property
