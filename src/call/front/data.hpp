// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "call/front/member.hpp"
#include "call/front/question.hpp"
#include "collectives/facts_of.hpp"
#include "library/quirks.hpp"
#include "library/real.hpp"
#include "messages/wire.hpp"

/// Parts that the fronts of several collectives share (call/course.hpp says what a front is).
namespace laneway {

/// Data as an MPI call names them: `count` elements of `type`, or as many for each rank.
struct Data {
    const void* address;
    std::int64_t count;
    MPI_Datatype type;

    bool in_place() const { return address == MPI_IN_PLACE; }
    bool acceptable() const { return !in_place() && count >= 0 && type != MPI_DATATYPE_NULL; }
    /// As acceptable(), where MPI_IN_PLACE makes count and type insignificant.
    bool acceptable_or_in_place() const { return in_place() || acceptable(); }

    /// The bytes of the data. Without elements the type may be anything.
    std::int64_t bytes() const { return count == 0 ? 0 : count * size_of(type); }
    /// The data `blocks` times, one after the other.
    Buffer buffer(int blocks = 1) const { return Buffer::of(address, count * blocks, type); }
};

/// @name Data of calls that the library is asked about (call/sound/rejected.hpp)
/// @{

/// Addresses that nothing stands at, as far as such a call knows.
inline char nowhere[2];

inline const Data no_data{nullptr, 0, MPI_BYTE};

/// The type of `data` and none of its elements. Data in place stay.
inline Data empty(const Data& data, char* address)
{
    return data.in_place() ? data : Data{address, 0, data.type};
}

/// The question about a call with these two data, less their elements; `form`: what it depends on besides.
inline Question asked_of(const Data& one, const Data& other, unsigned form = 0)
{
    const auto type = [](const Data& data) {
        return data.in_place() ? MPI_DATATYPE_NULL : data.type;
    };
    return {type(one), type(other), MPI_OP_NULL,
            4 * form + 2 * unsigned{one.in_place()} + unsigned{other.in_place()}};
}

/// Whether the library reports it where one buffer is two arguments of a collective; else it takes them as they come.
template <class Call>
bool reports_one_buffer()
{
    return std::is_same_v<Call, Allreduce> || std::is_same_v<Call, Reduce> ||
           quirks().reports_any_one_buffer;
}

/// Whether both are equal amounts in the same words: only then do libraries compare their addresses.
inline bool are_alike(const Data& one, const Data& other)
{
    return one.count != 0 && one.count == other.count && one.type == other.type;
}

/// Whether `mine` is block `rank` of the row `whole`.
inline bool is_own_block(const Data& mine, const Data& whole, int rank)
{
    return are_alike(mine, whole) &&
           mine.address == advanced(const_cast<void*>(whole.address), rank * whole.bytes());
}
/// @}

/// Facts of data movement in blocks of `bytes`. An algorithm must be able to count `copies` of them in one buffer;
/// empty where there is no unit to count them in.
inline std::optional<Facts> moved(std::int64_t bytes, std::int64_t copies)
{
    if (bytes == 0) return Facts{.count = 0, .bytes = 0};
    const auto unit = Unit::dividing(bytes, copies);
    if (!unit) return std::nullopt;
    return Facts{.count = bytes / unit->size(), .bytes = bytes};
}

}  // namespace laneway
