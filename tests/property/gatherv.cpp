// SPDX-License-Identifier: BSD-3-Clause
#include "vectors.hpp"

namespace laneway::property {

static void run_gatherv(Trial& trial)
{
    const Case& now = trial.of();
    const BlockLengths lengths(now, trial.size());
    const auto block = [&](int rank) {
        return block_of(*now.form, rank, 0, lengths[rank], Places::in_order);
    };

    // The types of root and others, of input and result, differ where the form has several.
    Slot input(*now.form, trial.rank() + 1, lengths[trial.rank()]);
    input.write(block(trial.rank()));
    Row ours(*now.form, trial.rank(), trial.is_root() ? lengths.all() : std::vector<int>{},
             now.irregular->places);
    if (trial.in_place()) ours.write(block(trial.rank()), trial.rank());
    Row expected = ours.twin();
    for (int rank = 0; trial.is_root() && rank < trial.size(); ++rank)
        expected.write(block(rank), rank);

    const auto gather = [&](const auto& function, const auto& arrays) {
        const auto its = significant_if(trial.is_root(), arrays);
        void* const recvbuf = trial.is_root() ? ours.data() : garbage.buffer;
        const MPI_Datatype recvtype = trial.is_root() ? ours.type() : garbage.type;
        if (trial.in_place())
            return function(now.algorithm.data(), MPI_IN_PLACE, garbage.count, garbage.type,
                            recvbuf, its.counts, its.places, recvtype, now.root, trial.comm());
        return function(now.algorithm.data(), input.data(), input.count(), input.type(), recvbuf,
                        its.counts, its.places, recvtype, now.root, trial.comm());
    };
    trial.serve(&input.memory(), [&] { return LANEWAY_VECTOR_CALL(gatherv, now, ours, gather); });
    const std::size_t all = static_cast<std::size_t>(lengths.total()) * size_of(now.form->kind);
    trial.expect_served<Gatherv>(unknown_lengths, all, input.wire_bytes() + ours.wire_bytes());
    expect_row(trial, ours, expected);
}

static const Collective::Register entry({
    .name = "gatherv",
    .rooted = true,
    .in_place = true,
    .blocks = true,
    .places = {Places::in_order, Places::apart, Places::reversed},
    .algorithms = algorithms_of<Gatherv>,
    .run = run_gatherv,
});

}  // namespace laneway::property
