// SPDX-License-Identifier: BSD-3-Clause
#include "call_form.hpp"
#include "case.hpp"
#include "collectives/facts_of.hpp"
#include "wire_facts.hpp"

namespace laneway::property {

static void run_bcast(Trial& trial)
{
    const Case& now = trial.of();
    const bool at_root = trial.rank() == now.root;
    Slot ours(*now.form, trial.rank(), now.count);
    ours.write(arbitrary(now.form->kind, now.count, static_cast<unsigned>(trial.rank())));
    Slot native = ours.twin();
    native.write(ours.packed());

    trial.serve(at_root ? &ours.memory() : nullptr, [&] {
        return LANEWAY_CALL(bcast, now.algorithm.data(), ours.data(), ours.count(), ours.type(),
                            now.root, trial.comm());
    });
    trial.expect_served<Bcast>(wire_facts(ours.bytes(), 1), ours.bytes(), ours.wire_bytes());

    if (now.form->uniform) {
        check(PMPI_Bcast(native.data(), native.count(), native.type(), now.root, trial.comm()));
    } else {
        // Libraries get one signature in different (count, type) pairs wrong; in bytes they don't.
        Bytes packed = native.packed();
        check(PMPI_Bcast(packed.data(), static_cast<int>(packed.size()), MPI_BYTE, now.root,
                         trial.comm()));
        if (!at_root) native.write(packed);
    }
    trial.expect_equal("buffer", ours, native);
}

static const Collective::Register entry({
    .name = "bcast",
    .rooted = true,
    .algorithms = algorithms_of<Bcast>,
    .run = run_bcast,
});

}  // namespace laneway::property
