// SPDX-License-Identifier: BSD-3-Clause
#include "bench/operation.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <utility>

#include "bench/options.hpp"
#include "bench/types.hpp"

namespace laneway::bench {
namespace {

constexpr int cycle = 101;  // Contributions repeat from one index to the cycle's next.

std::vector<Operation>& registered()
{
    static std::vector<Operation> all;
    return all;
}

bool by_name(const Operation& a, const Operation& b)
{
    return std::string_view(a.collective) < b.collective;
}

constexpr std::array<std::pair<Layout, const char*>, 3> layouts = {
    {{Layout::equal, "equal"}, {Layout::ramp, "ramp"}, {Layout::single, "single"}}};

}  // namespace

const std::vector<Operation>& operations() { return registered(); }

const Operation& operation(const std::string& collective)
{
    const auto found =
        std::ranges::find(registered(), plain_name(collective), &Operation::collective);
    if (found != registered().end()) return *found;
    std::string known;
    for (const Operation& each : registered())
        known += std::string(known.empty() ? "" : ", ") + each.collective;
    throw UsageError("unknown collective '" + collective + "'; known: " + known);
}

Registration::Registration(const Operation& operation)
{
    registered().insert(std::ranges::upper_bound(registered(), operation, by_name), operation);
}

/// Of a product, every rank is the one that counts at some indices, so that it stays 2 for any
/// number of ranks; otherwise primes keep neighbours, in rank or index, from looking alike.
Value contribution(const Problem& on, int rank, std::size_t index)
{
    if (on.op.handle == MPI_PROD)
        return {index % static_cast<std::size_t>(on.size) == static_cast<std::size_t>(rank) ? 2 : 1,
                rank};
    return {(static_cast<std::int64_t>(index % cycle) * 7 + std::int64_t{rank} * 31) % cycle, rank};
}

void write_contribution(const Problem& on, std::byte* data, std::size_t elements)
{
    for (std::size_t index = 0; index < elements; ++index)
        on.type.write(data, index, contribution(on, on.rank, index));
}

Expected reduction(const Problem& on, int ranks, std::size_t first)
{
    std::vector<Value> period;
    const int length = on.op.handle == MPI_PROD ? on.size : cycle;
    for (std::size_t index = 0; std::cmp_less(index, length); ++index) {
        Value value = contribution(on, 0, index);
        for (int rank = 1; rank < ranks; ++rank)
            value = on.op.apply(value, contribution(on, rank, index));
        period.push_back(value);
    }
    return [period = std::move(period), first](std::size_t index) -> std::optional<Value> {
        return period[(first + index) % period.size()];
    };
}

std::size_t layout_block(const Problem& on, int rank)
{
    const std::size_t mean = one_block(on);
    const auto size = static_cast<std::size_t>(on.size);
    switch (on.layout) {
    case Layout::equal:
        return mean;
    case Layout::ramp:
        return size == 1 ? mean : 2 * mean * static_cast<std::size_t>(rank) / (size - 1);
    case Layout::single:
        return rank == 0 ? mean * size : 0;
    }
    return mean;
}

std::size_t vector_elements(const Problem& on)
{
    return std::accumulate(on.counts.begin(), on.counts.end(), std::size_t{0});
}

int owner(const Problem& on, std::size_t index)
{
    // Behind empty blocks comes the one that starts at the same place.
    const auto next = std::ranges::upper_bound(on.displacements, static_cast<int>(index));
    return static_cast<int>(next - on.displacements.begin()) - 1;
}

Expected gathered(const Problem& on)
{
    return [&on](std::size_t index) {
        return contribution(on, static_cast<int>(index / one_block(on)), index % one_block(on));
    };
}

Expected vector_gathered(const Problem& on)
{
    return [&on](std::size_t index) {
        const int from = owner(on, index);
        const int first = on.displacements[static_cast<std::size_t>(from)];
        return contribution(on, from, index - static_cast<std::size_t>(first));
    };
}

Expected sent_by(const Problem& on, int rank)
{
    return [&on, rank](std::size_t index) { return contribution(on, rank, index); };
}

int pair_partner(const Problem& on)
{
    const int half = on.size / 2;
    return on.rank < half ? on.rank + half : on.rank - half;
}

const char* name(Layout layout)
{
    return std::ranges::find(layouts, layout, &std::pair<Layout, const char*>::first)->second;
}

Layout layout(const std::string& name)
{
    const auto* const found =
        std::ranges::find_if(layouts, [&](const auto& each) { return name == each.second; });
    if (found == layouts.end())
        throw UsageError("--layout: '" + name + "' is none of equal, ramp, single");
    return found->first;
}

}  // namespace laneway::bench
