// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

std::size_t input_gatherv(const Problem& on) { return layout_block(on, on.rank); }

void fill_gatherv(const Problem& on, int root, const Buffers& memory)
{
    std::byte* const own =
        root_in_place(on, root) ? vector_block_of(on, memory.output, on.rank) : memory.input;
    write_contribution(on, own, input_gatherv(on));
}

int call_gatherv(const Problem& on, const char* algorithm, int root, const Buffers& memory)
{
    return in_form(on, laneway_gatherv_with, laneway_igatherv_with, algorithm,
                   root_in_place(on, root) ? MPI_IN_PLACE : memory.input,
                   static_cast<int>(input_gatherv(on)), on.type.handle, memory.output,
                   on.counts.data(), on.displacements.data(), on.type.handle, root, on.comm);
}

Expected expected_gatherv(const Problem& on, int root)
{
    return on.rank == root ? vector_gathered(on) : anything();
}

const Registration registration_gatherv({.collective = "gatherv",
                                         .has_forms = true,
                                         .rooted = true,
                                         .has_in_place = true,
                                         .flow = BlockFlow::with_root,
                                         .input = input_gatherv,
                                         .output = vector_elements,
                                         .fill = fill_gatherv,
                                         .call = call_gatherv,
                                         .expected = expected_gatherv});

}  // namespace
}  // namespace laneway::bench
