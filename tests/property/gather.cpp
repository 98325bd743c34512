// SPDX-License-Identifier: BSD-3-Clause
#include "call_form.hpp"
#include "case.hpp"
#include "collectives/facts_of.hpp"
#include "wire_facts.hpp"

namespace laneway::property {

static void run_gather(Trial& trial)
{
    const Case& now = trial.of();
    const auto block_of = [&](int rank) {
        return arbitrary(now.form->kind, now.count, static_cast<unsigned>(rank));
    };

    // The types of root and others, of input and result, differ where the form has several.
    Slot input(*now.form, trial.rank() + 1, now.count);
    input.write(block_of(trial.rank()));
    Slot ours(*now.form, trial.rank(), now.count, trial.is_root() ? trial.size() : 1);
    if (trial.in_place()) ours.write(block_of(trial.rank()), trial.rank());
    Slot expected = ours.twin();

    const auto gather = [&](void* recvbuf, int recvcount, MPI_Datatype recvtype) {
        if (trial.in_place())
            return LANEWAY_CALL(gather, now.algorithm.data(), MPI_IN_PLACE, garbage.count,
                                garbage.type, recvbuf, recvcount, recvtype, now.root, trial.comm());
        return LANEWAY_CALL(gather, now.algorithm.data(), input.data(), input.count(), input.type(),
                            recvbuf, recvcount, recvtype, now.root, trial.comm());
    };
    trial.serve(&input.memory(), [&] {
        return trial.is_root() ? gather(ours.data(), ours.count(), ours.type())
                               : gather(garbage.buffer, garbage.count, garbage.type);
    });
    const std::size_t all = input.bytes() * static_cast<std::size_t>(trial.size());
    trial.expect_served<Gather>(wire_facts(input.bytes(), trial.size()), all,
                                input.wire_bytes() + (trial.is_root() ? ours.wire_bytes() : 0));

    if (trial.is_root())
        for (int rank = 0; rank < trial.size(); ++rank) expected.write(block_of(rank), rank);
    ours.clear_padding();
    expected.clear_padding();
    trial.expect_equal("result", ours, expected);
}

static const Collective::Register entry({
    .name = "gather",
    .rooted = true,
    .in_place = true,
    .blocks = true,
    .algorithms = algorithms_of<Gather>,
    .run = run_gather,
});

}  // namespace laneway::property
