// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

#include "core/calls.hpp"
#include "core/member.hpp"
#include "mpi/real.hpp"
#include "mpi/wire.hpp"

/// What the fronts of several collectives share (see core/run.hpp for what a front is).
namespace laneway {

/// Data as an MPI call names them: `count` elements of `type`, or as many for each rank.
struct Data {
    const void* address;
    std::int64_t count;
    MPI_Datatype type;

    bool in_place() const { return address == MPI_IN_PLACE; }
    bool acceptable() const { return count >= 0 && type != MPI_DATATYPE_NULL; }
    /// The same where MPI_IN_PLACE makes count and type insignificant.
    bool acceptable_or_in_place() const { return in_place() || acceptable(); }

    std::int64_t bytes() const { return count * size_of(type); }
    /// `blocks` times the data, one after the other.
    Buffer buffer(int blocks = 1) const { return Buffer::of(address, count * blocks, type); }
};

/// Facts of data movement in blocks of `bytes`, `copies` of which an algorithm must be able to count
/// in one buffer; empty where there is no unit to count them in.
inline std::optional<Facts> moved(std::int64_t bytes, std::int64_t copies)
{
    if (bytes == 0) return Facts{.count = 0, .bytes = 0};
    const auto unit = Unit::dividing(bytes, copies);
    if (!unit) return std::nullopt;
    return Facts{.count = bytes / unit->size(), .bytes = bytes};
}

}  // namespace laneway
