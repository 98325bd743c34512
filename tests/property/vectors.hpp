// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "call_form.hpp"
#include "case.hpp"
#include "collectives/facts_of.hpp"
#include "row.hpp"

/// The common parts of the tests of vector collectives.
namespace laneway::property {

/// The selector's facts where only some processes know the lengths.
inline constexpr Facts unknown_lengths{.count = 1, .bytes = -1};

/// `made(function, arrays)` calls the collective with its other arguments. There, `function` is the form of it that the
/// case has. The `arrays` are the counts and displacements of `row` as that form takes them.
#define LANEWAY_VECTOR_CALL(collective, the_case, row, made)                                       \
    ((the_case).irregular->large                                                                   \
         ? made([](auto... its) { return LANEWAY_LARGE_CALL(collective, its...); }, (row).large()) \
         : made([](auto... its) { return LANEWAY_CALL(collective, its...); }, (row).small()))

/// The arrays or, where they are insignificant, some that nobody may read.
template <class Arrays>
Arrays significant_if(bool significant, const Arrays& arrays)
{
    return significant ? arrays : Arrays::garbage();
}

/// The arrays of another row, of the same numbers.
inline SmallArrays arrays_like(const SmallArrays&, const Row& row) { return row.small(); }
inline LargeArrays arrays_like(const LargeArrays&, const Row& row) { return row.large(); }

/// A row of the case, and what must become of it.
inline void expect_row(Trial& trial, Row& got, Row& expected)
{
    got.clear_padding();
    expected.clear_padding();
    trial.expect_equal("result", got, expected);
}

}  // namespace laneway::property
