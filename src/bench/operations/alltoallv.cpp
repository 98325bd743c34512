// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

/// As long in both directions, and not the same to all peers, nor by all ranks to one.
std::size_t block(const Problem& on, int peer)
{
    return layout_block(on, (on.rank + peer) % on.size);
}

int call_alltoallv(const Problem& on, const char*, int, const Buffers& memory)
{
    return MPI_Alltoallv(input_of(on, memory), on.counts.data(), on.displacements.data(),
                         on.type.handle, memory.output, on.counts.data(), on.displacements.data(),
                         on.type.handle, on.comm);
}

/// Where the block for the caller begins in the memory of `peer`.
std::size_t begin_at(const Problem& on, int peer)
{
    Problem of_peer = on;
    of_peer.rank = peer;
    std::size_t begin = 0;
    for (int rank = 0; rank < on.rank; ++rank) begin += block(of_peer, rank);
    return begin;
}

Expected expected_alltoallv(const Problem& on, int)
{
    std::vector<std::size_t> begins;
    for (int peer = 0; peer < on.size; ++peer) begins.push_back(begin_at(on, peer));
    return [&on, begins](std::size_t index) {
        const int from = owner(on, index);
        const auto place = static_cast<std::size_t>(from);
        const auto first = static_cast<std::size_t>(on.displacements[place]);
        return contribution(on, from, begins[place] + index - first);
    };
}

const Registration registration_alltoallv({.collective = "alltoallv",
                                           .has_in_place = true,
                                           .block = block,
                                           .input = vector_elements,
                                           .output = vector_elements,
                                           .fill = contribute<vector_elements>,
                                           .call = call_alltoallv,
                                           .expected = expected_alltoallv});

}  // namespace
}  // namespace laneway::bench
