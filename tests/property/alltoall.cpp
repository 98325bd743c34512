// SPDX-License-Identifier: BSD-3-Clause
#include "call_form.hpp"
#include "case.hpp"
#include "collectives/facts_of.hpp"
#include "wire_facts.hpp"

namespace laneway::property {

static void run_alltoall(Trial& trial)
{
    const Case& now = trial.of();
    const auto block = [&](int from, int to) {
        return arbitrary(now.form->kind, now.count,
                         static_cast<unsigned>(from * trial.size() + to));
    };

    // The types of input and result differ where the form has several.
    Slot input(*now.form, trial.rank() + 1, now.count, trial.size());
    Slot ours(*now.form, trial.rank(), now.count, trial.size());
    Slot expected = ours.twin();
    for (int rank = 0; rank < trial.size(); ++rank) {
        (trial.in_place() ? ours : input).write(block(trial.rank(), rank), rank);
        expected.write(block(rank, trial.rank()), rank);
    }

    trial.serve(&input.memory(), [&] {
        if (trial.in_place())
            return LANEWAY_CALL(alltoall, now.algorithm.data(), MPI_IN_PLACE, garbage.count,
                                garbage.type, ours.data(), ours.count(), ours.type(), trial.comm());
        return LANEWAY_CALL(alltoall, now.algorithm.data(), input.data(), input.count(),
                            input.type(), ours.data(), ours.count(), ours.type(), trial.comm());
    });
    const std::size_t length = ours.bytes() / static_cast<std::size_t>(trial.size());
    trial.expect_served<Alltoall>(wire_facts(length, trial.size() * trial.size()), ours.bytes(),
                                  ours.wire_bytes() + input.wire_bytes());
    ours.clear_padding();
    expected.clear_padding();
    trial.expect_equal("result", ours, expected);
}

static const Collective::Register entry({
    .name = "alltoall",
    .in_place = true,
    .blocks = true,
    .algorithms = algorithms_of<Alltoall>,
    .run = run_alltoall,
});

}  // namespace laneway::property
