// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

#include "mpi/buffer.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

/// The unit in which data travel: bytes, or larger where that keeps counts small. It follows from
/// the number of bytes alone, so it is the same on all ranks whatever (count, type) each was given.
class Unit {
public:
    /// A unit that divides `bytes` such that `copies` times `bytes` can be counted by an int; empty
    /// where there is none.
    static std::optional<Unit> dividing(std::int64_t bytes, std::int64_t copies);

    MPI_Datatype type() const { return derived_ ? *derived_ : predefined_; }
    std::int64_t size() const { return size_; }

private:
    Unit(MPI_Datatype predefined, std::int64_t size) : predefined_(predefined), size_(size) {}

    MPI_Datatype predefined_;
    std::int64_t size_;
    std::optional<Datatype> derived_;
};

/// The user's elements as a row of units: in place where the type is gap-free, else in scratch
/// memory, filled by `pack` and given back by `unpack`. How a rank holds its data is its own affair;
/// the messages are the same.
class Wire {
public:
    /// `comm`: a private communicator of ours, for MPI calls that want one; nothing is sent to others.
    Wire(const Buffer& user, const Unit& unit, const Comm& comm);

    /// All the data, in units.
    const Buffer& buffer() const { return wire_; }

    /// Brings elements [first, first + count) of the user's buffer, a whole number of units, into wire
    /// form.
    void pack(std::int64_t first, std::int64_t count);
    void pack() { pack(0, user_.count); }

    /// Brings them back.
    void unpack(std::int64_t first, std::int64_t count);
    void unpack() { unpack(0, user_.count); }

    /// Bytes that MPI_Pack is given at once, if not a single element has more. Before MPI 4 it counts them
    /// with an int: such elements go as messages to oneself. The tests make it small.
    static inline std::int64_t packed_at_once = 1 << 30;

private:
    bool is_packed() const { return scratch_ && element_bytes_ > 0; }
    Buffer units(std::int64_t first, std::int64_t count) const;
    using Piece = void (Wire::*)(const Buffer& user, void* packed, std::int64_t bytes);
    void in_pieces(std::int64_t first, std::int64_t count, Piece piece);
    void pack_piece(const Buffer& user, void* packed, std::int64_t bytes);
    void unpack_piece(const Buffer& user, void* packed, std::int64_t bytes);

    std::optional<Datatype> relative_;
    Buffer user_;
    const Comm& comm_;
    std::int64_t element_bytes_;
    std::optional<Scratch> scratch_;
    Buffer wire_;
};

}  // namespace laneway
