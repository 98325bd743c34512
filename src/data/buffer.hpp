// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "data/datatype.hpp"

namespace laneway {

/// The address `bytes` past `data`. In integers: MPI_BOTTOM plus an offset is no valid pointer
/// arithmetic.
inline void* advanced(void* data, std::int64_t bytes)
{
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(data) +
                                   static_cast<std::uintptr_t>(bytes));
}

/// `count` elements of `type` at `data`. Holds no memory. `data` may be MPI_BOTTOM where the type
/// holds absolute addresses: a null pointer is not "no buffer".
struct Buffer {
    void* data;
    std::int64_t count;
    MPI_Datatype type;
    MPI_Aint extent;  ///< extent of one element, in bytes

    static Buffer of(const void* data, std::int64_t count, MPI_Datatype type)
    {
        return {const_cast<void*>(data), count, type, extent_of(type)};
    }

    /// The `length` elements from element `first` on.
    Buffer slice(std::int64_t first, std::int64_t length) const
    {
        return {advanced(data, first * extent), length, type, extent};
    }
};

}  // namespace laneway
