// SPDX-License-Identifier: BSD-3-Clause
#include "vectors.hpp"

namespace laneway::property {

static void run_scatterv(Trial& trial)
{
    const Case& now = trial.of();
    const BlockLengths lengths(now, trial.size());
    const Places places = now.irregular->places;
    const auto block = [&](int rank) {
        return block_of(*now.form, now.root, rank, lengths[rank], places);
    };

    // The types of root and others, of input and result, differ where the form has several.
    Row whole(*now.form, trial.rank() + 1, trial.is_root() ? lengths.all() : std::vector<int>{},
              places);
    for (int rank = 0; trial.is_root() && rank < trial.size(); ++rank)
        whole.write(block(rank), rank);
    Slot ours(*now.form, trial.rank(), lengths[trial.rank()]);
    Slot expected = ours.twin();
    if (!trial.in_place()) expected.write(block(trial.rank()));

    const auto scatter = [&](const auto& function, const auto& arrays) {
        const auto its = significant_if(trial.is_root(), arrays);
        const void* const sendbuf = trial.is_root() ? whole.data() : garbage.buffer;
        const MPI_Datatype sendtype = trial.is_root() ? whole.type() : garbage.type;
        if (trial.in_place())
            return function(now.algorithm.data(), sendbuf, its.counts, its.places, sendtype,
                            MPI_IN_PLACE, garbage.count, garbage.type, now.root, trial.comm());
        return function(now.algorithm.data(), sendbuf, its.counts, its.places, sendtype,
                        ours.data(), ours.count(), ours.type(), now.root, trial.comm());
    };
    trial.serve(&whole.memory(),
                [&] { return LANEWAY_VECTOR_CALL(scatterv, now, whole, scatter); });
    const std::size_t all = static_cast<std::size_t>(lengths.total()) * size_of(now.form->kind);
    trial.expect_served<Scatterv>(unknown_lengths, all, ours.wire_bytes() + whole.wire_bytes());
    ours.clear_padding();
    expected.clear_padding();
    trial.expect_equal("result", ours, expected);
}

static const Collective::Register entry({
    .name = "scatterv",
    .rooted = true,
    .in_place = true,
    .blocks = true,
    .places = {Places::in_order, Places::apart, Places::reversed, Places::overlapping},
    .algorithms = algorithms_of<Scatterv>,
    .run = run_scatterv,
});

}  // namespace laneway::property
