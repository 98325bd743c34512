// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/footprint.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "mpi/error.hpp"

namespace laneway {
namespace {

using Runs = std::vector<Footprint::Run>;

void append(Runs& runs, std::int64_t first, std::int64_t last)
{
    if (!runs.empty() && runs.back().last == first)
        runs.back().last = last;
    else
        runs.push_back({first, last});
}

/// Most pieces are short: without a call for each.
void copy_piece(std::byte* to, const std::byte* from, std::int64_t bytes)
{
    constexpr std::int64_t word = 4, two = 8;
    if (bytes == word)
        std::memcpy(to, from, word);
    else if (bytes == two)
        std::memcpy(to, from, two);
    else
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

/// `body(data, bytes)` for the pieces of elements, in the order of a message.
template <class Body>
void for_pieces(std::byte* data, std::int64_t count, const Footprint& type, const Body& body)
{
    for (std::int64_t element = 0; element < count; ++element, data += type.extent)
        for (const auto& [first, last] : type.pieces) body(data + first, last - first);
}

/// Some byte of `use` lies in [first, last).
bool touches(const Use& use, std::intptr_t first, std::intptr_t last)
{
    const auto& runs = use.type->runs();
    const auto is_in = [&](std::int64_t element) {
        const std::intptr_t start = use.address + element * use.type->extent;
        const auto run = std::ranges::partition_point(
            runs, [&](const auto& one) { return start + one.last <= first; });
        return run != runs.end() && start + run->first < last;
    };
    const std::int64_t extent = use.type->extent;
    if (use.count == 1 || extent == 0) return is_in(0);
    // Elements whose hull, moved by a multiple of the extent, meets [first, last).
    const std::int64_t least = first - use.address - runs.back().last;
    const std::int64_t most = last - use.address - runs.front().first;
    const std::int64_t from = (extent > 0 ? least : most) / extent - 1;
    const std::int64_t to = (extent > 0 ? most : least) / extent + 1;
    for (std::int64_t i = std::max<std::int64_t>(0, from); i <= std::min(to, use.count - 1); ++i)
        if (is_in(i)) return true;
    return false;
}

}  // namespace

void Footprints::read(MPI_Datatype type)
{
    int counts[3] = {};
    auto& [combiner, integers, addresses, types] = contents_;
    check(PMPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &combiner));
    integers.resize(static_cast<std::size_t>(counts[0]));
    addresses.resize(static_cast<std::size_t>(counts[1]));
    types.resize(static_cast<std::size_t>(counts[2]));
    check(PMPI_Type_get_contents(type, counts[0], counts[1], counts[2], integers.data(),
                                 addresses.data(), types.data()));
}

/// MPI 3.1, Section 4.1.13, has the order of the arguments; 4.1.2 what they mean.
void Footprints::look_at(MPI_Datatype type, Footprint& footprint)
{
    read(type);
    MPI_Datatype inner = contents_.types.front();
    Footprint content;
    const bool predefined = is_named(inner);
    if (!predefined) {
        // Under a handle of its own, in some libraries, which nothing is known by.
        look_at(inner, content);
        check(PMPI_Type_free(&inner));
        read(type);
        check(PMPI_Type_free(&contents_.types.front()));
    }
    const Footprint& one = predefined ? of(inner) : content;
    const auto& [combiner, integers, addresses, types] = contents_;
    const auto integer = [&](int index) -> std::int64_t {
        return integers[static_cast<std::size_t>(index)];
    };
    const int blocks = integers.empty() ? 1 : integers.front();
    Runs& pieces = footprint.pieces;
    pieces.clear();
    const auto block = [&](std::int64_t length, std::int64_t at) {
        if (one.dense && length > 0) return append(pieces, at, at + length * one.size);
        for (; length > 0; --length, at += one.extent)
            for (const auto& [first, last] : one.pieces) append(pieces, at + first, at + last);
    };
    switch (combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
        block(1, 0);
        break;
    case MPI_COMBINER_CONTIGUOUS:
        block(blocks, 0);
        break;
    case MPI_COMBINER_VECTOR:
        for (int i = 0; i < blocks; ++i) block(integer(1), i * integer(2) * one.extent);
        break;
    case MPI_COMBINER_INDEXED:
        for (int i = 0; i < blocks; ++i)
            block(integer(1 + i), integer(1 + blocks + i) * one.extent);
        break;
    case MPI_COMBINER_HINDEXED_BLOCK:
        for (int i = 0; i < blocks; ++i) block(integer(1), addresses[static_cast<std::size_t>(i)]);
        break;
    default:
        throw std::invalid_argument("a datatype of a kind that no algorithm makes");
    }
    footprint.size = size_of(type);
    footprint.extent = extent_of(type);
    const auto by_place = [](const Footprint::Run& a, const Footprint::Run& b) {
        return a.first < b.first;
    };
    footprint.sorted.clear();
    if (!std::ranges::is_sorted(pieces, by_place)) {
        footprint.sorted = pieces;
        std::ranges::sort(footprint.sorted, by_place);
    }
    footprint.dense = pieces.empty() || (pieces.size() == 1 && pieces.front().first == 0 &&
                                         footprint.size == footprint.extent);
}

const Footprint& Footprints::of(MPI_Datatype type)
{
    const std::int64_t number = number_of(type);
    for (const auto& [known, footprint] : predefined_)
        if (known == number) return footprint;
    if (is_named(type)) {
        const std::int64_t size = size_of(type);
        if (size != extent_of(type)) throw std::invalid_argument("a predefined datatype with gaps");
        return predefined_.emplace_back(number, Footprint{size, size, true, {{0, size}}, {}})
            .second;
    }
    const auto [place, is_new] = derived_.try_emplace(number);
    if (!is_new) return *place->second;
    if (memory_.size() < derived_.size()) memory_.emplace_back();
    Footprint& footprint = memory_[derived_.size() - 1];
    place->second = &footprint;
    look_at(type, footprint);
    return footprint;
}

void transfer(const void* from, std::int64_t from_count, const Footprint& from_type, void* to,
              std::int64_t to_count, const Footprint& to_type)
{
    static const Footprint as_bytes{1, 1, true, {{0, 1}}, {}};
    const std::int64_t bytes = from_count * from_type.size;
    if (from_type.dense && to_type.dense) {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
        return;
    }
    auto* source = static_cast<std::byte*>(const_cast<void*>(from));
    auto* target = static_cast<std::byte*>(to);
    if (from_type.dense) {
        for_pieces(target, to_count, to_type, [&](std::byte* piece, std::int64_t length) {
            copy_piece(piece, source, length);
            source += length;
        });
        return;
    }
    if (to_type.dense) {
        for_pieces(source, from_count, from_type, [&](std::byte* piece, std::int64_t length) {
            copy_piece(target, piece, length);
            target += length;
        });
        return;
    }
    // By way of a message.
    static thread_local std::vector<std::byte> message;
    message.resize(std::max(message.size(), static_cast<std::size_t>(bytes)));
    transfer(from, from_count, from_type, message.data(), bytes, as_bytes);
    transfer(message.data(), bytes, as_bytes, to, to_count, to_type);
}

bool Use::overlaps(const Use& other) const
{
    const auto [first, last] = hull();
    const auto [other_first, other_last] = other.hull();
    const std::intptr_t from = std::max(first, other_first), to = std::min(last, other_last);
    if (from >= to) return false;
    if (type->dense && other.type->dense) return true;
    if (type->dense) return touches(other, from, to);
    if (other.type->dense) return touches(*this, from, to);
    for (std::int64_t element = 0; element < count; ++element) {
        const std::intptr_t start = address + element * type->extent;
        for (const auto& run : type->runs()) {
            if (start + run.last <= from) continue;
            if (start + run.first >= to) break;
            if (touches(other, start + run.first, start + run.last)) return true;
        }
    }
    return false;
}

}  // namespace laneway
