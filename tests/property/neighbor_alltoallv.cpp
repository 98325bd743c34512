// SPDX-License-Identifier: BSD-3-Clause
#include "neighbors.hpp"
#include "vectors.hpp"

namespace laneway::property {

static void run_neighbor_alltoallv(Trial& trial)
{
    const Case& now = trial.of();
    run_among_neighbors(
        trial, Row::Types::one, [&](const Trial& among, const RowsOfNeighbors& rows) {
            const auto exchange = [&](const auto& function, const auto& received) {
                const auto sent = arrays_like(received, rows.input);
                return function(now.algorithm.data(), rows.input.data(), sent.counts, sent.places,
                                rows.input.type(), rows.result.data(), received.counts,
                                received.places, rows.result.type(), among.comm());
            };
            return LANEWAY_VECTOR_CALL(neighbor_alltoallv, now, rows.result, exchange);
        });
}

static const Collective::Register entry({
    .name = "neighbor_alltoallv",
    .blocks = true,
    .places = {Places::in_order, Places::apart, Places::reversed, Places::overlapping},
    .algorithms = algorithms_of<NeighborAlltoallv>,
    .run = run_neighbor_alltoallv,
});

}  // namespace laneway::property
