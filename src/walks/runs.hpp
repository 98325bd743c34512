// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "mpi/partition.hpp"

namespace laneway {

/// `body(first element, elements)` for the blocks of these ranks: those that follow each other in memory in one.
template <class Body>
void for_runs(const std::vector<int>& ranks, const Partition& part, const Body& body)
{
    for (std::size_t first = 0, last = 0; first < ranks.size(); first = last) {
        const std::int64_t start = part.first(ranks[first]);
        std::int64_t end = start + part.size(ranks[first]);
        for (last = first + 1; last < ranks.size() && part.first(ranks[last]) == end; ++last)
            end += part.size(ranks[last]);
        body(start, end - start);
    }
}

}  // namespace laneway
