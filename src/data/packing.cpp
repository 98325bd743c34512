// SPDX-License-Identifier: BSD-3-Clause
#include "data/packing.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <limits>

#include "data/datatype.hpp"
#include "library/quirks.hpp"
#include "library/recent.hpp"

namespace laneway {
namespace {

#if MPI_VERSION >= 4
using Count = MPI_Count;
#else
using Count = std::int64_t;
#endif

/// The greatest number that MPI_Pack and MPI_Unpack, as the library has them, take for a count.
std::int64_t greatest()
{
    return has_large_counts() ? std::numeric_limits<std::int64_t>::max() : INT_MAX;
}

int counted(std::int64_t bytes) { return static_cast<int>(std::min<std::int64_t>(bytes, INT_MAX)); }

#if MPI_VERSION >= 4
#define LANEWAY_IF_LARGE(function, ...) \
    if (has_large_counts()) return function(__VA_ARGS__)
#else
#define LANEWAY_IF_LARGE(function, ...)
#endif

int library_pack_size(const Elements& part, Count& bytes)
{
    LANEWAY_IF_LARGE(PMPI_Pack_size_c, part.count, part.type, part.comm, &bytes);
    int found = 0;
    const int code = PMPI_Pack_size(counted(part.count), part.type, part.comm, &found);
    bytes = found;
    return code;
}

int library_pack(const Elements& part, std::byte* bytes, std::int64_t room, Count& packed)
{
    LANEWAY_IF_LARGE(PMPI_Pack_c, part.data, part.count, part.type, bytes, room, &packed,
                     part.comm);
    int found = 0;
    const int code = PMPI_Pack(part.data, counted(part.count), part.type, bytes, counted(room),
                               &found, part.comm);
    packed = found;
    return code;
}

int library_unpack(const std::byte* bytes, std::int64_t length, Count& taken, const Elements& part)
{
    LANEWAY_IF_LARGE(PMPI_Unpack_c, bytes, length, &taken, part.data, part.count, part.type,
                     part.comm);
    int found = 0;
    const int code = PMPI_Unpack(bytes, counted(length), &found, part.data, counted(part.count),
                                 part.type, part.comm);
    taken = found;
    return code;
}

/// Copies the bytes that PMPI_Pack has left out of elements in one piece. They come right behind those that it has
/// packed.
Count completed(const Elements& elements, std::byte* bytes, Count packed)
{
    const std::int64_t all = elements.count * size_of(elements.type);
    if (packed < all)
        std::memcpy(bytes + packed,
                    advanced(elements.data, true_extent_of(elements.type).lower_bound + packed),
                    static_cast<std::size_t>(all - packed));
    return all;
}

/// Calls `body` for parts of the elements that can be packed at once, until it returns an error.
template <class Body>
int in_parts(Elements elements, const std::byte* base, const Body& body)
{
    std::optional<Datatype> relative;
    if (elements.data == MPI_BOTTOM) {
        // MPI_Pack of MPICH 4.0 takes MPI_BOTTOM for a missing buffer: it gets the data relative to another address.
        relative = Datatype::displaced(elements.type, -reinterpret_cast<MPI_Aint>(base));
        elements.data = const_cast<std::byte*>(base);
        elements.type = *relative;
    }
    const std::int64_t size = std::max<std::int64_t>(1, size_of(elements.type));
    const std::int64_t most = std::max<std::int64_t>(1, packed_at_once / size);
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

bool can_be_packed(const Buffer& data)
{
    return size_of(data.type) <=
           std::max<std::int64_t>(packed_at_once, greatest() > INT_MAX ? greatest() : 0);
}

}  // namespace

int packed_room(const Elements& elements, std::int64_t& room)
{
    room = 0;
    static const std::byte base{};
    return in_parts(elements, &base, [&](const Elements& part) {
        Count bytes = 0;
        const int code = library_pack_size(part, bytes);
        room += bytes;
        return code;
    });
}

int pack(const Elements& elements, std::byte* bytes, std::int64_t room, std::int64_t& length)
{
    length = 0;
    // There may be no memory then, as in unpack().
    if (room == 0) return MPI_SUCCESS;
    return in_parts(elements, bytes, [&](const Elements& part) {
        Count packed = 0;
        const int code = library_pack(part, bytes + length, room - length, packed);
        if (code == MPI_SUCCESS && quirks().cuts_what_it_packs)
            packed = completed(part, bytes + length, packed);
        length += packed;
        return code;
    });
}

int unpack(const std::byte* bytes, std::int64_t length, const Elements& elements)
{
    // There may be no memory then, which Open MPI takes for an error.
    if (length == 0) return MPI_SUCCESS;
    return in_parts(elements, bytes, [&](const Elements& part) {
        Count taken = 0;
        const int code = library_unpack(bytes, length, taken, part);
        bytes += taken;
        length -= taken;
        return code;
    });
}

std::optional<int> copied(const Buffer& from, const Buffer& to, MPI_Comm comm)
{
    const auto bytes_of = [](const Buffer& data) { return data.count * size_of(data.type); };
    if (bytes_of(from) == 0) return MPI_SUCCESS;
    if (is_gap_free(to.type) && can_be_packed(from)) {
        std::int64_t length = 0;
        return pack({from.data, from.count, from.type, comm}, static_cast<std::byte*>(to.data),
                    bytes_of(to), length);
    }
    if (is_gap_free(from.type) && can_be_packed(to))
        return unpack(static_cast<const std::byte*>(from.data), bytes_of(from),
                      {to.data, to.count, to.type, comm});
    return std::nullopt;
}

}  // namespace laneway
