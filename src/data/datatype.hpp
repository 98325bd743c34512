// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace laneway {

/// Bytes of data in one element, gaps not counted. MPI guarantees that they are equal where type
/// signatures are.
std::int64_t size_of(MPI_Datatype type);

/// Distance in bytes from one element to the next.
MPI_Aint extent_of(MPI_Datatype type);

/// The range where the data of one element really lie, gaps and artificial bounds put aside.
struct TrueExtent {
    MPI_Aint lower_bound;
    MPI_Aint extent;
};
TrueExtent true_extent_of(MPI_Datatype type);

/// How many numbers a type was made by: the memory that it takes grows with them.
std::int64_t numbers_in(MPI_Datatype type);

/// Whether a type is one of MPI's own.
bool is_named(MPI_Datatype type);

/// The handle as a number: the handle of one of MPI's own types stays what it is.
template <class Handle>
std::int64_t number_of(Handle type)
{
    if constexpr (std::is_pointer_v<Handle>)
        return reinterpret_cast<std::intptr_t>(type);
    else
        return type;
}

/// Whether the bytes of an element stand in the order of its type map, without gaps and from
/// offset 0. Then a message of elements is a message of bytes. Size and extent alone don't tell: a
/// permuted type map has no gap either.
bool is_gap_free(MPI_Datatype type);

/// A derived datatype of our own, freed with its scope.
class Datatype {
public:
    explicit Datatype(MPI_Datatype type) noexcept : type_(type) {}
    Datatype(Datatype&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
    Datatype& operator=(Datatype&& other) noexcept
    {
        std::swap(type_, other.type_);
        return *this;
    }
    ~Datatype();

    operator MPI_Datatype() const noexcept { return type_; }

    /// `count` elements of `type` in a row.
    static Datatype contiguous(int count, MPI_Datatype type);

    /// `blocks` blocks of `length` elements of `type`, `stride` elements apart, with an extent of
    /// `extent` elements, so that neighbours may interlace.
    static Datatype strided(int blocks, int length, int stride, MPI_Datatype type, int extent);

    /// Blocks of `lengths[i]` elements of `type`, `displacements[i]` elements from the start.
    static Datatype indexed(const std::vector<int>& lengths, const std::vector<int>& displacements,
                            MPI_Datatype type);

    /// `count` elements of `type`, `begin` bytes from the start.
    struct Piece {
        std::int64_t count;
        MPI_Aint begin;
        MPI_Datatype type;
    };
    /// Such pieces, one after the other.
    static Datatype of_pieces(const std::vector<Piece>& pieces);

    /// `type` with all its data `bytes` further on, and the same extent.
    static Datatype displaced(MPI_Datatype type, MPI_Aint bytes);

private:
    MPI_Datatype type_;
};

}  // namespace laneway
