// SPDX-License-Identifier: BSD-3-Clause
#include "bench/operation.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace laneway::bench {
namespace {

std::vector<Operation>& registered()
{
    static std::vector<Operation> all;
    return all;
}

bool by_name(const Operation& a, const Operation& b)
{
    return std::string_view(a.collective) < b.collective;
}

/// Every rank is the one that counts at some indices of a product, which stays 2 for any number of
/// ranks; otherwise primes keep neighbours, in rank or index, from looking alike.
int value(const Problem& on, int index)
{
    if (on.op.handle == MPI_PROD) return index % on.size == on.rank ? 2 : 1;
    return static_cast<int>((std::int64_t{index} * 7 + std::int64_t{on.rank} * 31) % 101);
}

}  // namespace

const std::vector<Operation>& operations() { return registered(); }

const Operation* operation(const std::string& collective)
{
    const auto found = std::ranges::find(registered(), collective, &Operation::collective);
    return found == registered().end() ? nullptr : &*found;
}

Registration::Registration(const Operation& operation)
{
    registered().insert(std::ranges::upper_bound(registered(), operation, by_name), operation);
}

void write_contribution(const Problem& on, std::vector<std::byte>& elements)
{
    for (int index = 0; index < on.count; ++index)
        on.type.write(elements.data(), static_cast<std::size_t>(index), value(on, index));
}

}  // namespace laneway::bench
