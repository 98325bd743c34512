// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "data/buffer.hpp"

/// Elements as a row of bytes, by MPI_Pack and MPI_Unpack: local, and never waiting. Errors are MPI error codes.
namespace laneway {

/// Elements in the caller's memory.
struct Elements {
    void* data;
    std::int64_t count;
    MPI_Datatype type;
    MPI_Comm comm;  ///< for MPI_Pack
};

/// Bytes that MPI_Pack is given at once, if not a single element has more. Before MPI 4 it counts them with
/// an int. The tests make it small.
inline std::int64_t packed_at_once = 1 << 30;

/// Bytes that the elements take at most when they are packed.
int packed_room(const Elements& elements, std::int64_t& room);
/// Packs to `bytes`, where there is that much room; `length` becomes the bytes that the elements take.
int pack(const Elements& elements, std::byte* bytes, std::int64_t room, std::int64_t& length);
/// Unpacks as many elements as there are in `length` bytes.
int unpack(const std::byte* bytes, std::int64_t length, const Elements& elements);

/// Copies elements into another layout of the same signature. Empty: nothing was done, as it takes a message to
/// oneself: both layouts have gaps, or one element is more than can be packed.
std::optional<int> copied(const Buffer& from, const Buffer& to, MPI_Comm comm);

}  // namespace laneway
