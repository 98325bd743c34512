// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "case.hpp"
#include "collectives/facts_of.hpp"

/// The common parts of the tests of all reductions.
namespace laneway::property {

/// The selector's facts of a reduction of `count` elements of the caller's type.
Facts reduction_facts(const Case& the_case, std::int64_t count);

/// Operands of the calling rank, packed: so many elements.
Bytes operands(const Trial& trial, int elements);

/// The library's function, out of place: input, result, count of a block, type.
using Reducing = std::function<int(const void*, void*, int, MPI_Datatype)>;

/// Its result in packed form, by the plainest type of that kind: libraries have defects where types
/// have gaps or data are in place.
Bytes reduced_by_library(const Case& the_case, const Bytes& operands, int blocks,
                         const Reducing& function);

/// Such a result of a call with counts: `all` elements in, `mine` out. The function takes input, result, type.
Bytes reduced_by_library(const Case& the_case, const Bytes& operands, int all, int mine,
                         const std::function<int(const void*, void*, MPI_Datatype)>& function);

/// Expects equal results, bit by bit or, where the order of operations shows, but for rounding.
void expect_reduced(Trial& trial, Slot& got, Slot& expected);

/// One rank's arguments of a reduction: buffers, and which of them the call gets.
class Operands {
public:
    /// Elements, in blocks of `count` of them: so many blocks in the input, and in the result.
    struct Lengths {
        int count;
        int input;
        int result;
    };
    Operands(const Trial& trial, const Lengths& lengths);
    /// `blocks` in the input; in place, the result is the start of it.
    explicit Operands(const Trial& trial, int blocks = 1)
        : Operands(trial, {trial.of().count, blocks, 1})
    {
    }

    const void* sendbuf() const { return in_place_ ? MPI_IN_PLACE : input.data(); }
    /// The type of the buffers that the call gets: those of two buffers differ where they hold addresses.
    MPI_Datatype type() const { return in_place_ ? result.type() : input.type(); }

    Bytes packed;  ///< The input.
    Slot input;    ///< Where not in place.
    Slot result;
    Slot expected;  ///< `result` as it was before the call.

private:
    bool in_place_;
};

}  // namespace laneway::property
