// SPDX-License-Identifier: BSD-3-Clause
#include "messages/wire.hpp"

#include <climits>

#include "library/error.hpp"
#include "messages/pmpi.hpp"

namespace laneway {
namespace {

/// Past this many candidates the search for an odd unit is given up; it only begins where the data
/// of a call exceed 16 GiB.
constexpr std::int64_t candidates = 1 << 20;

}  // namespace

std::optional<Unit> Unit::dividing(std::int64_t bytes, std::int64_t copies)
{
    if (copies > INT_MAX) return std::nullopt;
    const auto countable = [&](std::int64_t size) { return bytes / size <= INT_MAX / copies; };

    const struct {
        MPI_Datatype type;
        int size;
    } predefined[] = {{MPI_INT64_T, 8}, {MPI_INT32_T, 4}, {MPI_INT16_T, 2}, {MPI_BYTE, 1}};
    for (const auto& [type, size] : predefined)
        if (bytes % size == 0 && countable(size)) return Unit(type, size);

    const std::int64_t smallest = bytes / (INT_MAX / copies) + 1;
    for (std::int64_t size = smallest; size < smallest + candidates && size <= INT_MAX; ++size) {
        if (bytes % size != 0) continue;
        Unit unit(MPI_BYTE, size);
        unit.derived_ = Datatype::contiguous(static_cast<int>(size), MPI_BYTE);
        return unit;
    }
    return std::nullopt;
}

Wire::Wire(const Buffer& user, const Unit& unit, const Comm& comm)
    : user_(user),
      comm_(comm),
      element_bytes_(size_of(user.type)),
      wire_()
{
    const std::int64_t units = user.count * element_bytes_ / unit.size();
    if (is_gap_free(user.type)) {
        wire_ = {user.data, units, unit.type(), static_cast<MPI_Aint>(unit.size())};
        return;
    }
    // A type that cannot be packed is an error on every rank, not on those alone that have to pack.
    char nothing = 0;
    int position = 0;
    check(PMPI_Pack(&nothing, 0, user.type, &nothing, 0, &position, comm.handle()));
    scratch_.emplace(units, unit.type());
    wire_ = scratch_->buffer();
    if (user.data == MPI_BOTTOM) {
        // Makes the data relative to another address, once and not each time that they are packed (data/packing.cpp).
        user_.data = wire_.data;
        relative_ = Datatype::displaced(user.type, -reinterpret_cast<MPI_Aint>(wire_.data));
        user_.type = *relative_;
    }
}

void Wire::pack(std::int64_t first, std::int64_t count) const
{
    if (is_packed() && count > 0) pmpi::copy(elements(first, count), units(first, count), comm_);
}

void Wire::unpack(std::int64_t first, std::int64_t count) const
{
    if (is_packed() && count > 0) pmpi::copy(units(first, count), elements(first, count), comm_);
}

}  // namespace laneway
