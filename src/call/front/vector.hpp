// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "call/front/bcast.hpp"
#include "call/front/data.hpp"
#include "data/datatype.hpp"
#include "data/partition.hpp"
#include "library/error.hpp"
#include "library/numbers.hpp"

/// Parts that the fronts of vector collectives share: rows of blocks that have counts, places and types of their own.
namespace laneway {

/// A row of blocks as an MPI call names it: block i has `counts[i]` elements of its type, `places[i]` of its units from
/// `address` on. Holds no memory, and is not read where it is insignificant.
struct Blocks {
    const void* address;
    Numbers counts;
    Numbers places;
    MPI_Datatype type = MPI_DATATYPE_NULL;  ///< type of all, its extent the unit of places
    const MPI_Datatype* types = nullptr;    ///< types by block, in its stead; the unit is the byte

    bool in_place() const { return address == MPI_IN_PLACE; }
    MPI_Datatype type_of(int block) const { return types ? types[block] : type; }
    std::int64_t bytes(int block) const
    {
        return counts[block] == 0 ? 0 : counts[block] * size_of(type_of(block));
    }

    /// Whether `size` blocks have no count or type that is wrong at a glance.
    bool acceptable(int size) const
    {
        if (in_place() || !counts || !places) return false;
        for (int block = 0; block < size; ++block)
            if (counts[block] < 0 || (counts[block] > 0 && type_of(block) == MPI_DATATYPE_NULL))
                return false;
        return true;
    }

    /// All blocks, for callers who ask whether there are any, and where.
    Data all(int size) const
    {
        Data all{address, 0, types ? MPI_BYTE : type};
        for (int block = 0; block < size; ++block) {
            if (counts[block] > 0 && all.count == 0) all.type = type_of(block);
            all.count += counts[block];
        }
        return all;
    }

    /// `body(block, begin, bytes)` for the blocks that have data, which begin so many bytes from `address` on. A type
    /// is looked at once for all blocks in turn that have it; that of a block without elements may be anything.
    template <class Body>
    void for_data(int size, const Body& body) const
    {
        MPI_Datatype known = MPI_DATATYPE_NULL;
        std::int64_t element = 0, unit = 1;
        for (int block = 0; block < size; ++block) {
            if (counts[block] == 0) continue;
            if (type_of(block) != known) {
                known = type_of(block);
                element = size_of(known);
                if (!types) unit = extent_of(known);
            }
            if (element > 0) body(block, places[block] * unit, counts[block] * element);
        }
    }
    std::int64_t bytes_of_all(int size) const
    {
        std::int64_t all = 0;
        for_data(size, [&](int, std::int64_t, std::int64_t bytes) { all += bytes; });
        return all;
    }
    /// The greatest length in bytes that divides those of all blocks.
    std::int64_t common_divisor(int size) const
    {
        std::int64_t divisor = 0;
        for_data(size, [&](int, std::int64_t, std::int64_t bytes) {
            if (divisor == 0 || bytes % divisor != 0) divisor = std::gcd(divisor, bytes);
        });
        return divisor;
    }
    Partition part(int size, std::int64_t unit) const
    {
        std::vector<std::int64_t> lengths(static_cast<std::size_t>(size));
        for_data(size, [&](int block, std::int64_t, std::int64_t bytes) {
            lengths[static_cast<std::size_t>(block)] = bytes / unit;
        });
        return Partition(lengths);
    }
};

/// @name Arrays with their sizes, where these may be wanted.
/// A library without large counts gets them as ints, as many as are significant to the calling process.
/// @{

/// The number of blocks of a call. `root`: the only process to which they are significant.
inline int blocks_of(MPI_Comm comm, std::optional<int> root = {})
{
    int inter = 0, rank = 0, size = 0;
    check(PMPI_Comm_test_inter(comm, &inter));
    check(PMPI_Comm_rank(comm, &rank));
    check(inter ? PMPI_Comm_remote_size(comm, &size) : PMPI_Comm_size(comm, &size));
    return !root || *root == (inter ? MPI_ROOT : rank) ? size : 0;
}
inline std::pair<Numbers, Numbers> sized(const Blocks& row, MPI_Comm comm,
                                         std::optional<int> root = {})
{
    if (!row.counts.is_large() || row.in_place()) return {row.counts, row.places};
    const int size = blocks_of(comm, root);
    return {row.counts.of_size(size), row.places.of_size(size)};
}
/// The counts with the size of the calling process's group, not of the other one.
inline Numbers sized(const Numbers& counts, MPI_Comm comm)
{
    if (!counts.is_large()) return counts;
    int size = 0;
    check(PMPI_Comm_size(comm, &size));
    return counts.of_size(size);
}
/// @}

/// @name Questions to the library about rows of blocks
/// @{

/// Asks whether it takes the type of data that have elements. Returns an MPI error code.
inline int type_without_data(const Data& data, MPI_Comm alone)
{
    if (data.in_place() || data.count == 0) return MPI_SUCCESS;
    return BcastFront{{&nowhere[0], 1, data.type}, 0, alone}.without_data(alone, {});
}
/// As above, for blocks: asks about each type once for all blocks in turn that have it.
inline int types_without_data(const Blocks& row, int size, MPI_Comm alone)
{
    MPI_Datatype last = MPI_DATATYPE_NULL;
    for (int block = 0; block < size; ++block) {
        const MPI_Datatype type = row.type_of(block);
        if (row.counts[block] == 0 || type == last) continue;
        last = type;
        const int code = type_without_data({row.address, 1, type}, alone);
        if (code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
}

/// The type that stands for those of all blocks in a question; none where there are several: such a question is asked
/// each time.
inline std::optional<MPI_Datatype> one_type(const Blocks& row, int size)
{
    MPI_Datatype found = MPI_DATATYPE_NULL;
    for (int block = 0; block < size; ++block) {
        if (row.counts[block] == 0) continue;
        if (found != MPI_DATATYPE_NULL && row.type_of(block) != found) return std::nullopt;
        found = row.type_of(block);
    }
    return found;
}
/// @}

/// A row of blocks in wire form: in place where its blocks follow each other without gaps, else in scratch memory.
class VectorWire {
public:
    VectorWire(const Blocks& row, int size, const Unit& unit, const Comm& comm)
        : VectorWire(row, size, row.part(size, unit.size()), unit, comm)
    {
    }
    /// `part` cuts the row into the blocks that algorithms get, of which each is one block of `row` or several.
    VectorWire(const Blocks& row, int size, const Partition& part, const Unit& unit,
               const Comm& comm)
        : part_(part),
          type_(is_row(row, size) ? std::nullopt : std::optional(type_of(row, size))),
          wire_(type_ ? Buffer::of(row.address, part_.count() > 0 ? 1 : 0, *type_)
                      : Buffer::of(first(row, size), part_.count(), unit.type()),
                unit, comm)
    {
    }

    const Buffer& buffer() const { return wire_.buffer(); }
    const Partition& part() const { return part_; }
    Buffer block(int rank) const { return part_.block(buffer(), rank); }

    Packing out() const { return {&wire_, {0, wire_.count()}, {}}; }
    Packing in() const { return {&wire_, {}, {0, wire_.count()}}; }
    Packing both() const { return {&wire_, {0, wire_.count()}, {0, wire_.count()}}; }

private:
    static const void* first(const Blocks& row, int size)
    {
        const void* found = nullptr;
        row.for_data(size, [&](int, std::int64_t begin, std::int64_t) {
            if (!found) found = advanced(const_cast<void*>(row.address), begin);
        });
        return found ? found : row.address;
    }

    static bool is_row(const Blocks& row, int size)
    {
        bool found = true;
        std::optional<std::int64_t> end;
        MPI_Datatype gap_free = MPI_DATATYPE_NULL;
        row.for_data(size, [&](int block, std::int64_t begin, std::int64_t bytes) {
            if (!found) return;
            const MPI_Datatype type = row.type_of(block);
            found = (type == gap_free || is_gap_free(type)) && (!end || begin == *end);
            gap_free = type;
            end = begin + bytes;
        });
        return found;
    }

    static Datatype type_of(const Blocks& row, int size)
    {
        std::vector<Datatype::Piece> pieces;
        row.for_data(size, [&](int block, std::int64_t begin, std::int64_t) {
            pieces.push_back({row.counts[block], begin, row.type_of(block)});
        });
        return Datatype::of_pieces(pieces);
    }

    Partition part_;
    std::optional<Datatype> type_;
    Wire wire_;
};

/// The lengths of blocks that a process knows and others of its node want to know, in elements of the wire.
struct Lengths {
    std::vector<std::int64_t> own;
    std::optional<int> root = {};        ///< the only process that knows all, if there is one,
    std::vector<std::int64_t> row = {};  ///< and has them here
};

inline std::vector<std::int64_t> lengths_of(const Partition& part)
{
    std::vector<std::int64_t> lengths;
    for (int block = 0; block < part.parts(); ++block) lengths.push_back(part.size(block));
    return lengths;
}

/// The facts that all processes know of blocks whose lengths only some know: neither bytes nor whether there are any.
inline constexpr Facts of_unknown_lengths{.count = 1, .bytes = -1};

/// The unit of such blocks: all processes must cut alike.
inline Unit byte_unit()
{
    return *Unit::dividing(
        1, 1);  // NOLINT(bugprone-unchecked-optional-access): one byte can be counted
}

}  // namespace laneway
