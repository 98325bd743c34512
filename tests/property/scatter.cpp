// SPDX-License-Identifier: BSD-3-Clause
#include "call_form.hpp"
#include "case.hpp"
#include "collectives/facts_of.hpp"
#include "wire_facts.hpp"

namespace laneway::property {

static void run_scatter(Trial& trial)
{
    const Case& now = trial.of();
    const Bytes blocks = arbitrary(now.form->kind, now.count * trial.size(), 0);

    // The types of root and others, of input and result, differ where the form has several.
    Slot whole(*now.form, trial.rank() + 1, now.count, trial.is_root() ? trial.size() : 1);
    if (trial.is_root()) whole.write(blocks);
    Slot ours(*now.form, trial.rank(), now.count);
    Slot expected = ours.twin();

    const auto scatter = [&](const void* sendbuf, int sendcount, MPI_Datatype sendtype) {
        if (trial.in_place())
            return LANEWAY_CALL(scatter, now.algorithm.data(), sendbuf, sendcount, sendtype,
                                MPI_IN_PLACE, garbage.count, garbage.type, now.root, trial.comm());
        return LANEWAY_CALL(scatter, now.algorithm.data(), sendbuf, sendcount, sendtype,
                            ours.data(), ours.count(), ours.type(), now.root, trial.comm());
    };
    trial.serve(&whole.memory(), [&] {
        return trial.is_root() ? scatter(whole.data(), whole.count(), whole.type())
                               : scatter(garbage.buffer, garbage.count, garbage.type);
    });
    const std::size_t length = ours.bytes(), all = length * static_cast<std::size_t>(trial.size());
    trial.expect_served<Scatter>(wire_facts(length, trial.size()), all,
                                 (trial.in_place() ? length : ours.wire_bytes()) +
                                     (trial.is_root() ? whole.wire_bytes() : 0));

    const auto first = blocks.begin() + static_cast<std::ptrdiff_t>(length) * trial.rank();
    if (!trial.in_place()) expected.write({first, first + static_cast<std::ptrdiff_t>(length)});
    ours.clear_padding();
    expected.clear_padding();
    trial.expect_equal("result", ours, expected);
}

static const Collective::Register entry({
    .name = "scatter",
    .rooted = true,
    .in_place = true,
    .blocks = true,
    .algorithms = algorithms_of<Scatter>,
    .run = run_scatter,
});

}  // namespace laneway::property
