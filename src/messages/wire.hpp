// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <numeric>
#include <optional>

#include "data/buffer.hpp"
#include "data/datatype.hpp"
#include "data/scratch.hpp"
#include "messages/comm.hpp"

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

/// The user's elements as a row of units. They are in place where the type is gap-free, else in scratch
/// memory, packed before they are used and unpacked after. How a rank holds its data is its own affair;
/// the messages are the same.
class Wire {
public:
    /// `comm`: a private communicator of ours, for MPI calls that want one; nothing is sent to others.
    Wire(const Buffer& user, const Unit& unit, const Comm& comm);

    /// All the data, in units.
    const Buffer& buffer() const { return wire_; }

    /// Whether the data are in scratch memory.
    bool is_packed() const { return scratch_ && element_bytes_ > 0; }

    /// @name Elements from `first` on, a whole number of units
    /// @{
    Buffer elements(std::int64_t first, std::int64_t count) const
    {
        return user_.slice(first, count);
    }
    Buffer units(std::int64_t first, std::int64_t count) const
    {
        return wire_.slice(first * element_bytes_ / wire_.extent,
                           count * element_bytes_ / wire_.extent);
    }
    void pack(std::int64_t first, std::int64_t count) const;
    void unpack(std::int64_t first, std::int64_t count) const;
    /// @}

    std::int64_t count() const { return user_.count; }
    std::int64_t element_bytes() const { return element_bytes_; }
    /// The fewest elements that are a whole number of units.
    std::int64_t step() const { return std::lcm(element_bytes_, wire_.extent) / element_bytes_; }

private:
    std::optional<Datatype> relative_;
    Buffer user_;
    const Comm& comm_;
    std::int64_t element_bytes_;
    std::optional<Scratch> scratch_;
    Buffer wire_;
};

/// Elements from a `first` one on.
struct Stretch {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// The elements of a wire that go out in a call, and those that come in.
struct Packing {
    const Wire* wire = nullptr;  ///< null: there is none
    Stretch out, in;

    /// @name At once
    /// @{
    void pack() const
    {
        if (wire) wire->pack(out.first, out.count);
    }
    void unpack() const
    {
        if (wire) wire->unpack(in.first, in.count);
    }
    /// @}
};

}  // namespace laneway
