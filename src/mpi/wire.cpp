// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/wire.hpp"

#include <algorithm>
#include <climits>

#include "mpi/error.hpp"
#include "mpi/pmpi.hpp"

namespace laneway {
namespace {

/// How MPI_Pack and MPI_Unpack count.
#if MPI_VERSION >= 4
using Count = MPI_Count;
constexpr bool counts_all = true;
#define LANEWAY_COUNTING(function) function##_c
#else
using Count = int;
constexpr bool counts_all = false;
#define LANEWAY_COUNTING(function) function
#endif

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
        // MPI_Pack and MPI_Unpack of MPICH 4.0 take MPI_BOTTOM for a missing buffer: give them the
        // same data relative to another address.
        user_.data = wire_.data;
        relative_ = Datatype::displaced(user.type, -reinterpret_cast<MPI_Aint>(wire_.data));
        user_.type = *relative_;
    }
}

/// The units of elements [first, first + count) of the user's buffer.
Buffer Wire::units(std::int64_t first, std::int64_t count) const
{
    return wire_.slice(first * element_bytes_ / wire_.extent,
                       count * element_bytes_ / wire_.extent);
}

void Wire::pack(std::int64_t first, std::int64_t count)
{
    if (!is_packed()) return;
    if (element_bytes_ > packed_at_once && !counts_all)
        pmpi::copy(user_.slice(first, count), units(first, count), comm_);
    else
        in_pieces(first, count, &Wire::pack_piece);
}

void Wire::unpack(std::int64_t first, std::int64_t count)
{
    if (!is_packed()) return;
    if (element_bytes_ > packed_at_once && !counts_all)
        pmpi::copy(units(first, count), user_.slice(first, count), comm_);
    else
        in_pieces(first, count, &Wire::unpack_piece);
}

void Wire::in_pieces(std::int64_t first, std::int64_t count, Piece piece)
{
    const std::int64_t at_once = std::max<std::int64_t>(1, packed_at_once / element_bytes_);
    const std::int64_t end = first + count;
    for (; first < end; first += at_once) {
        const std::int64_t elements = std::min(at_once, end - first);
        (this->*piece)(user_.slice(first, elements), advanced(wire_.data, first * element_bytes_),
                       elements * element_bytes_);
    }
}

void Wire::pack_piece(const Buffer& user, void* packed, std::int64_t bytes)
{
    Count position = 0;
    check(LANEWAY_COUNTING(PMPI_Pack)(user.data, static_cast<Count>(user.count), user.type, packed,
                                      static_cast<Count>(bytes), &position, comm_.handle()));
}

void Wire::unpack_piece(const Buffer& user, void* packed, std::int64_t bytes)
{
    Count position = 0;
    check(LANEWAY_COUNTING(PMPI_Unpack)(packed, static_cast<Count>(bytes), &position, user.data,
                                        static_cast<Count>(user.count), user.type, comm_.handle()));
}

}  // namespace laneway
