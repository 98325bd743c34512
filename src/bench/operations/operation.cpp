// SPDX-License-Identifier: BSD-3-Clause
#include "bench/operations/operation.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <numeric>
#include <string_view>
#include <utility>

#include "bench/text/words.hpp"

namespace laneway::bench {
namespace {

constexpr int cycle = 101;  // Contributions repeat after so many indices.

std::vector<Operation>& registered()
{
    static std::vector<Operation> all;
    return all;
}

bool by_name(const Operation& a, const Operation& b)
{
    return std::string_view(a.collective) < b.collective;
}

}  // namespace

const std::vector<Operation>& operations() { return registered(); }

const Operation& operation(const std::string& collective)
{
    return named(registered(), &Operation::collective, "unknown collective", collective);
}

Registration::Registration(const Operation& operation)
{
    const auto add = [](const Operation& one) {
        registered().insert(std::ranges::upper_bound(registered(), one, by_name), one);
    };
    add(operation);
    if (!operation.has_forms) return;
    static std::deque<std::string> names;
    Operation twin = operation;
    twin.collective = names.emplace_back("i" + std::string(operation.collective)).c_str();
    twin.nonblocking = true;
    add(twin);
}

/// In a product, each index has one rank that contributes 2, all others 1, so that it stays 2 for any number of
/// ranks. Otherwise primes keep neighbours, in rank or index, from looking alike.
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
    return block_elements(on.layout, one_block(on), rank, on.size);
}

std::size_t pair_block(const Problem& on, int from, int to)
{
    return pair_elements(on.layout, one_block(on), from, to, on.size);
}

std::size_t vector_elements(const Problem& on)
{
    return std::accumulate(on.counts.begin(), on.counts.end(), std::size_t{0});
}

std::size_t sent_elements(const Problem& on)
{
    return std::accumulate(on.sent_counts.begin(), on.sent_counts.end(), std::size_t{0});
}

int owner(const Problem& on, std::size_t index)
{
    // Behind empty blocks comes the block that starts at the same place.
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

Expected exchanged(const Problem& on)
{
    std::vector<std::size_t> begins;  // The caller's block begins there in each peer's memory.
    for (int peer = 0; peer < on.size; ++peer) {
        std::size_t begin = 0;
        for (int rank = 0; rank < on.rank; ++rank) begin += pair_block(on, peer, rank);
        begins.push_back(begin);
    }
    return [&on, begins](std::size_t index) {
        const int from = owner(on, index);
        const auto place = static_cast<std::size_t>(from);
        const auto first = static_cast<std::size_t>(on.displacements[place]);
        return contribution(on, from, begins[place] + index - first);
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

}  // namespace laneway::bench
