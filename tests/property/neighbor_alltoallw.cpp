// SPDX-License-Identifier: BSD-3-Clause
#include "neighbors.hpp"
#include "vectors.hpp"

namespace laneway::property {

/// By the algorithms of neighbor_alltoallv. Places are addresses in any form.
static void run_neighbor_alltoallw(Trial& trial)
{
    const Case& now = trial.of();
    const auto made = [&](const Trial& among, const RowsOfNeighbors& rows) {
        const auto exchange = [&](const auto& function, const auto& received) {
            return function(now.algorithm.data(), rows.input.data(),
                            arrays_like(received, rows.input).counts, rows.input.large().places,
                            rows.input.types(), rows.result.data(), received.counts,
                            rows.result.large().places, rows.result.types(), among.comm());
        };
        return LANEWAY_VECTOR_CALL(neighbor_alltoallw, now, rows.result, exchange);
    };
    run_among_neighbors(trial, Row::Types::by_block, made);
}

static const Collective::Register entry({
    .name = "neighbor_alltoallw",
    .blocks = true,
    .places = {Places::in_order, Places::apart, Places::reversed, Places::overlapping},
    .algorithms = algorithms_of<NeighborAlltoallv>,
    .run = run_neighbor_alltoallw,
});

}  // namespace laneway::property
