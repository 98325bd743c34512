// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

void fill(const Problem& on, int root, const Buffers& memory)
{
    if (on.rank == root) write_contribution(on, memory.input, block_per_rank(on));
}

int call(const Problem& on, const char* algorithm, int root, const Buffers& memory)
{
    return laneway_scatter_with(algorithm, memory.input, on.count, on.type.handle,
                                root_in_place(on, root) ? MPI_IN_PLACE : memory.output, on.count,
                                on.type.handle, root, on.comm);
}

Expected expected(const Problem& on, int root)
{
    if (root_in_place(on, root)) return anything();
    const std::size_t first = one_block(on) * static_cast<std::size_t>(on.rank);
    return [&on, root, first](std::size_t index) { return contribution(on, root, first + index); };
}

const Registration registration({.collective = "scatter",
                                 .rooted = true,
                                 .has_in_place = true,
                                 .input = block_per_rank,
                                 .output = one_block,
                                 .fill = fill,
                                 .call = call,
                                 .expected = expected});

}  // namespace
}  // namespace laneway::bench
