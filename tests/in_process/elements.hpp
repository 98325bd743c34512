// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace laneway::in_process {

/// The contents of an element, one number or two.
using Value = std::array<std::uint32_t, 2>;

/// Elements that are moved or reduced.
struct Elements {
    const char* name;
    MPI_Datatype type;
    MPI_Op op;  ///< MPI_OP_NULL: they are moved only
    bool commutative;
    bool moved;  ///< in collectives that only move data as well: what comes in wire form
    int bytes;   ///< bytes of data in one element
    std::int64_t extent;
    /// Brings values to elements from an address on; nothing else is written to.
    void (*write)(std::byte* to, const Value* values, std::int64_t count);
    void (*read)(const std::byte* from, Value* values, std::int64_t count);
    /// Each value, combined with the next rank's: what is wrong in order differs. Null where brackets matter.
    void (*fold)(Value* values, const Value* next, std::int64_t count);
};

/// All kinds. Call after MPI_Init.
const std::vector<Elements>& kinds();

/// Kinds that tell brackets apart, with an operator that says that it commutes and one that does not.
const std::vector<Elements>& bracketed_kinds();
/// Their operator, which neither commutes nor is associative.
Value bracketed(const Value& left, const Value& right);

/// The operands of `rank`, elements `first` on.
void operands(int rank, std::int64_t first, std::int64_t count, Value* to);

/// @name A row of elements between guards that nothing may write to
/// @{
std::size_t row_bytes(const Elements& kind, std::int64_t count);
/// Where its elements are.
std::byte* elements_of(std::byte* row);
/// As it is before there are any.
void clear_row(std::byte* row, std::size_t bytes);
/// @}

}  // namespace laneway::in_process
