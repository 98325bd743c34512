// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

/// A stand-in for an MPI library where algorithms are only recorded. Types have sizes and bounds, operators are
/// commutative, and nothing is ever sent. All functions that an algorithm calls without a recorder say so.
namespace laneway::stub {

/// A datatype as far as algorithms ask: its size, where its data lie, and what it is a row of.
struct Type {
    std::int64_t size = 0;
    std::int64_t lower_bound = 0, extent = 0;
    std::int64_t true_lower_bound = 0, true_extent = 0;
    MPI_Datatype row_of = MPI_DATATYPE_NULL;  ///< the element of a contiguous type
    bool named = false;
};

inline Type predefined(std::int64_t size)
{
    return {.size = size, .extent = size, .true_extent = size, .named = true};
}

/// A handle of `type`, as long as the program runs or until MPI_Type_free.
MPI_Datatype handle_of(const Type& type);

}  // namespace laneway::stub
