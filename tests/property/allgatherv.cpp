// SPDX-License-Identifier: BSD-3-Clause
#include "vectors.hpp"

namespace laneway::property {

static void run_allgatherv(Trial& trial)
{
    const Case& now = trial.of();
    const BlockLengths lengths(now, trial.size());
    const auto block = [&](int rank) {
        return block_of(*now.form, rank, 0, lengths[rank], Places::in_order);
    };

    // The types of input and result differ where the form has several.
    Slot input(*now.form, trial.rank() + 1, lengths[trial.rank()]);
    input.write(block(trial.rank()));
    Row ours(*now.form, trial.rank(), lengths.all(), now.irregular->places);
    if (trial.in_place()) ours.write(block(trial.rank()), trial.rank());
    Row expected = ours.twin();
    for (int rank = 0; rank < trial.size(); ++rank) expected.write(block(rank), rank);

    const auto gather = [&](const auto& function, const auto& arrays) {
        if (trial.in_place())
            return function(now.algorithm.data(), MPI_IN_PLACE, garbage.count, garbage.type,
                            ours.data(), arrays.counts, arrays.places, ours.type(), trial.comm());
        return function(now.algorithm.data(), input.data(), input.count(), input.type(),
                        ours.data(), arrays.counts, arrays.places, ours.type(), trial.comm());
    };
    trial.serve(&input.memory(),
                [&] { return LANEWAY_VECTOR_CALL(allgatherv, now, ours, gather); });
    const Facts facts{.count = ours.bytes() > 0, .bytes = -1};
    trial.expect_served<Allgatherv>(facts, ours.bytes(), ours.wire_bytes() + input.wire_bytes());
    expect_row(trial, ours, expected);
}

static const Collective::Register entry({
    .name = "allgatherv",
    .in_place = true,
    .blocks = true,
    .places = {Places::in_order, Places::apart, Places::reversed},
    .algorithms = algorithms_of<Allgatherv>,
    .run = run_allgatherv,
});

}  // namespace laneway::property
