// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

void fill_scatter(const Problem& on, int root, const Buffers& memory)
{
    if (on.rank == root) write_contribution(on, memory.input, block_per_rank(on));
}

int call_scatter(const Problem& on, const char* algorithm, int root, const Buffers& memory)
{
    return in_form(on, laneway_scatter_with, laneway_iscatter_with, algorithm, memory.input,
                   on.count, on.type.handle, root_in_place(on, root) ? MPI_IN_PLACE : memory.output,
                   on.count, on.type.handle, root, on.comm);
}

Expected expected_scatter(const Problem& on, int root)
{
    if (root_in_place(on, root)) return anything();
    const std::size_t first = one_block(on) * static_cast<std::size_t>(on.rank);
    return [&on, root, first](std::size_t index) { return contribution(on, root, first + index); };
}

const Registration registration_scatter({.collective = "scatter",
                                         .has_forms = true,
                                         .rooted = true,
                                         .has_in_place = true,
                                         .input = block_per_rank,
                                         .output = one_block,
                                         .fill = fill_scatter,
                                         .call = call_scatter,
                                         .expected = expected_scatter});

}  // namespace
}  // namespace laneway::bench
