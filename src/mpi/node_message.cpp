// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/node_message.hpp"

#include <algorithm>
#include <climits>
#include <optional>

#include "mpi/buffer.hpp"

namespace laneway {
namespace {

/// MPI counts packed bytes in ints.
constexpr std::int64_t at_once = 1 << 30;

/// `body` for parts of the elements that can be packed at once, until it returns an error.
template <class Body>
int in_parts(Elements elements, const std::byte* base, const Body& body)
{
    std::optional<Datatype> relative;
    if (elements.data == MPI_BOTTOM) {
        // MPI_Pack of MPICH 4.0 takes MPI_BOTTOM for a missing buffer: the same data from another address.
        relative = Datatype::displaced(elements.type, -reinterpret_cast<MPI_Aint>(base));
        elements.data = const_cast<std::byte*>(base);
        elements.type = *relative;
    }
    const std::int64_t size = std::max<std::int64_t>(1, size_of(elements.type));
    const auto most = static_cast<int>(std::clamp<std::int64_t>(at_once / size, 1, at_once));
    const MPI_Aint extent = extent_of(elements.type);
    while (elements.count > 0) {
        Elements part = elements;
        part.count = std::min(part.count, most);
        if (const int code = body(part)) return code;
        elements.count -= part.count;
        elements.data = advanced(elements.data, part.count * extent);
    }
    return MPI_SUCCESS;
}

int as_int(std::int64_t bytes) { return static_cast<int>(std::min<std::int64_t>(bytes, INT_MAX)); }

}  // namespace

int packed_room(const Elements& elements, std::int64_t& room)
{
    room = 0;
    static const std::byte base{};
    return in_parts(elements, &base, [&](const Elements& part) {
        int bytes = 0;
        const int code = PMPI_Pack_size(part.count, part.type, part.comm, &bytes);
        room += bytes;
        return code;
    });
}

int pack(const Elements& elements, std::byte* bytes, std::int64_t& length)
{
    length = 0;
    return in_parts(elements, bytes, [&](const Elements& part) {
        int room = 0, packed = 0;
        if (const int code = PMPI_Pack_size(part.count, part.type, part.comm, &room)) return code;
        const int code =
            PMPI_Pack(part.data, part.count, part.type, bytes + length, room, &packed, part.comm);
        length += packed;
        return code;
    });
}

int unpack(const std::byte* bytes, std::int64_t length, const Elements& elements)
{
    if (length == 0)
        return MPI_SUCCESS;  // where there may be no memory, which Open MPI takes for an error
    return in_parts(elements, bytes, [&](const Elements& part) {
        int taken = 0;
        const int code =
            PMPI_Unpack(bytes, as_int(length), &taken, part.data, part.count, part.type, part.comm);
        bytes += taken;
        length -= taken;
        return code;
    });
}

}  // namespace laneway
