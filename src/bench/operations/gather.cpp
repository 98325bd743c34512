// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

void fill_gather(const Problem& on, int root, const Buffers& memory)
{
    std::byte* const own =
        root_in_place(on, root) ? block_of(on, memory.output, on.rank) : memory.input;
    write_contribution(on, own, one_block(on));
}

int call_gather(const Problem& on, const char* algorithm, int root, const Buffers& memory)
{
    return in_form(on, laneway_gather_with, laneway_igather_with, algorithm,
                   root_in_place(on, root) ? MPI_IN_PLACE : memory.input, on.count, on.type.handle,
                   memory.output, on.count, on.type.handle, root, on.comm);
}

Expected expected_gather(const Problem& on, int root)
{
    return on.rank == root ? gathered(on) : anything();
}

const Registration registration_gather({.collective = "gather",
                                        .has_forms = true,
                                        .rooted = true,
                                        .has_in_place = true,
                                        .input = one_block,
                                        .output = block_per_rank,
                                        .fill = fill_gather,
                                        .call = call_gather,
                                        .expected = expected_gather});

}  // namespace
}  // namespace laneway::bench
