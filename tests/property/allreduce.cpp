// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstring>

#include "case.hpp"
#include "core/calls.hpp"

namespace laneway::property {

/// Where the order of operations shows, all ranks must still hold the same bits, and these must be
/// right but for rounding.
static void expect_same_everywhere(Trial& trial, const Slot& ours, const Slot& native)
{
    const Bytes mine = ours.packed();
    Bytes of_rank_0 = mine;
    check(PMPI_Bcast(of_rank_0.data(), static_cast<int>(of_rank_0.size()), MPI_BYTE, 0,
                     trial.comm()));
    trial.expect(mine == of_rank_0, "the result differs from that of rank 0 in its bits");

    // The terms are at most 1, whatever their sum is.
    const double tolerance = 1e-14 * trial.size();
    const Bytes theirs = native.packed();
    std::vector<double> got(mine.size() / sizeof(double)), expected(got.size());
    if (got.empty()) return;
    std::memcpy(got.data(), mine.data(), mine.size());
    std::memcpy(expected.data(), theirs.data(), theirs.size());
    trial.expect(std::equal(got.begin(), got.end(), expected.begin(),
                            [&](double a, double b) { return std::abs(a - b) <= tolerance; }),
                 "the result is off by more than rounding explains");
}

static void run(Trial& trial)
{
    const Case& now = trial.of();
    const Bytes operands =
        now.op->operands(now.form->kind, now.count, static_cast<unsigned>(trial.rank()));

    Slot ours(*now.form, 0, now.count);
    Slot input = ours.twin();
    Slot native = ours.twin();
    input.write(operands);
    if (now.in_place) {
        ours.write(operands);
        native.write(operands);
    }
    const Bytes input_memory = input.memory();
    const void* sendbuf = now.in_place ? MPI_IN_PLACE : input.data();

    trial.serve([&] {
        return laneway_allreduce_with(now.algorithm.data(), sendbuf, ours.data(), ours.count(),
                                      ours.type(), now.op->op, trial.comm());
    });
    int commutative = 0;
    check(PMPI_Op_commutative(now.op->op, &commutative));
    trial.expect_served<Allreduce>({.count = ours.count(), .order_matters = commutative == 0},
                                   ours.span(), 0);
    trial.expect(input.memory() == input_memory, "the input has been written to");

    check(PMPI_Allreduce(sendbuf, native.data(), native.count(), native.type(), now.op->op,
                         trial.comm()));
    if (now.op->exact) {
        ours.clear_padding();
        native.clear_padding();
        trial.expect_equal("result", ours, native);
    } else {
        expect_same_everywhere(trial, ours, native);
    }
}

static const Collective::Register entry({
    .name = "allreduce",
    .reduces = true,
    .in_place = true,
    .algorithms = algorithms_of<Allreduce>,
    .run = run,
});

}  // namespace laneway::property
