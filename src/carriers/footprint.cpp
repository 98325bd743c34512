// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/footprint.hpp"

#include <algorithm>

#include "mpi/buffer.hpp"
#include "mpi/error.hpp"

namespace laneway {
namespace {

/// MPI itself shows which bytes a type means: ones are unpacked into zeros.
std::vector<Footprint::Run> runs_of(MPI_Datatype type, std::int64_t size)
{
    const auto [lower_bound, extent] = true_extent_of(type);
    std::vector<unsigned char> touched(static_cast<std::size_t>(extent), 0);
    const std::vector<unsigned char> ones(static_cast<std::size_t>(size), 1);
    int position = 0;
    check(PMPI_Unpack(ones.data(), static_cast<int>(size), &position,
                      advanced(touched.data(), -lower_bound), 1, type, MPI_COMM_SELF));
    std::vector<Footprint::Run> runs;
    for (std::size_t byte = 0; byte < touched.size(); ++byte) {
        if (!touched[byte]) continue;
        const std::int64_t at = static_cast<std::int64_t>(byte) + lower_bound;
        if (runs.empty() || runs.back().last != at) runs.push_back({at, at});
        runs.back().last = at + 1;
    }
    return runs;
}

}  // namespace

const Footprint& Footprints::of(MPI_Datatype type)
{
    const auto [place, is_new] = known_.try_emplace(number_of(type));
    Footprint& footprint = place->second;
    if (!is_new) return footprint;
    footprint.size = size_of(type);
    footprint.extent = extent_of(type);
    footprint.dense = is_gap_free(type);
    if (footprint.dense)
        footprint.runs = {{0, footprint.size}};
    else if (footprint.size > 0)
        footprint.runs = runs_of(type, footprint.size);
    return footprint;
}

std::pair<std::intptr_t, std::intptr_t> Use::hull() const
{
    if (count == 0 || type->runs.empty()) return {address, address};
    const std::int64_t last = (count - 1) * type->extent;
    return {address + std::min<std::int64_t>(0, last) + type->runs.front().first,
            address + std::max<std::int64_t>(0, last) + type->runs.back().last};
}

bool Use::overlaps(const Use& other) const
{
    const auto [first, last] = hull();
    const auto [other_first, other_last] = other.hull();
    if (std::max(first, other_first) >= std::min(last, other_last)) return false;
    if (type->dense && other.type->dense) return true;

    const auto bytes = [](const Use& use) {
        std::vector<std::pair<std::intptr_t, std::intptr_t>> runs;
        for (std::int64_t element = 0; element < use.count; ++element)
            for (const auto& run : use.type->runs)
                runs.emplace_back(use.address + element * use.type->extent + run.first,
                                  use.address + element * use.type->extent + run.last);
        std::ranges::sort(runs);
        return runs;
    };
    const auto mine = bytes(*this), theirs = bytes(other);
    for (auto one = mine.begin(), two = theirs.begin(); one != mine.end() && two != theirs.end();) {
        if (std::max(one->first, two->first) < std::min(one->second, two->second)) return true;
        one->second < two->second ? ++one : ++two;
    }
    return false;
}

const Use* Claims::conflict(const ByStart& claims, std::intptr_t longest, const Use& use)
{
    const auto [first, last] = use.hull();
    for (auto claim = claims.lower_bound(first - longest);
         claim != claims.end() && claim->first < last; ++claim)
        if (use.conflicts(claim->second)) return &claim->second;
    return nullptr;
}

const Use* Claims::conflict(const Use& use) const
{
    const Use* const found = conflict(dense_, longest_dense_, use);
    return found ? found : conflict(gapped_, longest_gapped_, use);
}

Claims::Ticket Claims::add(const Use& use)
{
    const auto [first, last] = use.hull();
    const bool dense = use.type->dense;
    std::intptr_t& longest = dense ? longest_dense_ : longest_gapped_;
    longest = std::max(longest, last - first);
    return {dense, (dense ? dense_ : gapped_).emplace(first, use)};
}

}  // namespace laneway
