// SPDX-License-Identifier: BSD-3-Clause
#include "call_form.hpp"
#include "case.hpp"
#include "collectives/facts_of.hpp"
#include "wire_facts.hpp"

namespace laneway::property {

static void run_allgather(Trial& trial)
{
    const Case& now = trial.of();
    const Kind kind = now.form->kind;
    const Bytes block = arbitrary(kind, now.count, static_cast<unsigned>(trial.rank()));

    // The types of input and result differ where the form has several.
    Slot input(*now.form, trial.rank() + 1, now.count);
    input.write(block);

    Slot ours(*now.form, trial.rank(), now.count, trial.size());
    if (trial.in_place()) ours.write(block, trial.rank());
    Slot native = ours.twin();
    native.write(ours.packed());

    const auto gather = [&](const auto& function, Slot& result) {
        if (trial.in_place())
            return function(MPI_IN_PLACE, garbage.count, garbage.type, result.data(),
                            result.count(), result.type(), trial.comm());
        return function(input.data(), input.count(), input.type(), result.data(), result.count(),
                        result.type(), trial.comm());
    };
    trial.serve(&input.memory(), [&] {
        return gather(
            [&](auto... arguments) {
                return LANEWAY_CALL(allgather, now.algorithm.data(), arguments...);
            },
            ours);
    });
    trial.expect_served<Allgather>(wire_facts(input.bytes(), trial.size()), ours.bytes(),
                                   ours.wire_bytes() + input.wire_bytes());

    if (now.form->uniform) {
        check(gather([](auto... arguments) { return PMPI_Allgather(arguments...); }, native));
    } else {
        Bytes packed(ours.bytes());
        const int length = static_cast<int>(block.size());
        check(PMPI_Allgather(block.data(), length, MPI_BYTE, packed.data(), length, MPI_BYTE,
                             trial.comm()));
        native.write(packed);
    }
    trial.expect_equal("result", ours, native);
}

static const Collective::Register entry({
    .name = "allgather",
    .in_place = true,
    .blocks = true,
    .algorithms = algorithms_of<Allgather>,
    .run = run_allgather,
});

}  // namespace laneway::property
