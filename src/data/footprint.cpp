// SPDX-License-Identifier: BSD-3-Clause
#include "data/footprint.hpp"

#include <algorithm>
#include <stdexcept>

#include "library/error.hpp"
#include "library/real.hpp"

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

/// MPI 3.1, Section 4.1.13, has the order of the arguments; Section 4.1.2 says what they mean.
void Footprints::look_at(MPI_Datatype type, Footprint& footprint)
{
    read(type);
    MPI_Datatype inner = contents_.types.front();
    Footprint content;
    const bool predefined = is_named(inner);
    if (!predefined) {
        // In some libraries it comes under a handle of its own, by which nothing is known.
        look_at(inner, content);
        check(real::Type_free(&inner));
        read(type);
        check(real::Type_free(&contents_.types.front()));
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
    case MPI_COMBINER_HINDEXED:
        for (int i = 0; i < blocks; ++i)
            block(integer(1 + i), addresses[static_cast<std::size_t>(i)]);
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

}  // namespace laneway
