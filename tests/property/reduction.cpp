// SPDX-License-Identifier: BSD-3-Clause
#include "reduction.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace laneway::property {

Facts reduction_facts(const Case& the_case, std::int64_t count)
{
    int commutative = 0;
    check(PMPI_Op_commutative(the_case.op->op, &commutative));
    // Calls name the algorithm: only where order matters must messages stay whole.
    return {.count = count,
            .order_matters = commutative == 0,
            .whole = commutative == 0 && keeps_whole(the_case)};
}

Bytes operands(const Trial& trial, int elements)
{
    const Case& now = trial.of();
    return now.op->operands(now.form->kind, elements, static_cast<unsigned>(trial.rank()));
}

Bytes reduced_by_library(const Case& the_case, const Bytes& operands, int blocks,
                         const Reducing& function)
{
    const Form& form = plain(the_case.form->kind);
    Slot input(form, 0, the_case.count, blocks);
    const Slot result(form, 0, the_case.count);
    input.write(operands);
    check(function(input.data(), result.data(), result.count(), result.type()));
    return result.packed();
}

Bytes reduced_by_library(const Case& the_case, const Bytes& operands, int all, int mine,
                         const std::function<int(const void*, void*, MPI_Datatype)>& function)
{
    const Form& form = plain(the_case.form->kind);
    Slot input(form, 0, 1, all);
    const Slot result(form, 0, 1, mine);
    input.write(operands);
    check(function(input.data(), result.data(), result.type()));
    return result.packed();
}

static std::vector<double> reals(const Bytes& packed)
{
    std::vector<double> result(packed.size() / sizeof(double));
    if (!result.empty()) std::memcpy(result.data(), packed.data(), packed.size());
    return result;
}

void expect_reduced(Trial& trial, Slot& got, Slot& expected)
{
    if (!trial.of().op->exact) {
        // The terms are at most 1, whatever their sum is.
        const double tolerance = 1e-14 * trial.size();
        const std::vector<double> ours = reals(got.packed()), theirs = reals(expected.packed());
        trial.expect(std::equal(ours.begin(), ours.end(), theirs.begin(),
                                [&](double a, double b) { return std::abs(a - b) <= tolerance; }),
                     "the result is off by more than rounding explains");
        // The bytes around the data must be equal all the same.
        got.write(expected.packed());
    }
    got.clear_padding();
    expected.clear_padding();
    trial.expect_equal("result", got, expected);
}

Operands::Operands(const Trial& trial, const Lengths& lengths)
    : packed(operands(trial, lengths.count * lengths.input)),
      input(*trial.of().form, 0, lengths.count, lengths.input),
      result(trial.in_place() || lengths.input == lengths.result
                 ? input.twin()
                 : Slot(*trial.of().form, 0, lengths.count, lengths.result)),
      expected(result.twin()),
      in_place_(trial.in_place())
{
    input.write(packed);
    if (in_place_) {
        result.write(packed);
        expected.write(packed);
    }
}

}  // namespace laneway::property
