// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

std::size_t output_scatterv(const Problem& on) { return layout_block(on, on.rank); }

void fill_scatterv(const Problem& on, int root, const Buffers& memory)
{
    if (on.rank == root) write_contribution(on, memory.input, vector_elements(on));
}

int call_scatterv(const Problem& on, const char* algorithm, int root, const Buffers& memory)
{
    return in_form(on, laneway_scatterv_with, laneway_iscatterv_with, algorithm, memory.input,
                   on.counts.data(), on.displacements.data(), on.type.handle,
                   root_in_place(on, root) ? MPI_IN_PLACE : memory.output,
                   static_cast<int>(output_scatterv(on)), on.type.handle, root, on.comm);
}

Expected expected_scatterv(const Problem& on, int root)
{
    if (root_in_place(on, root)) return anything();
    const auto first =
        static_cast<std::size_t>(on.displacements[static_cast<std::size_t>(on.rank)]);
    return [&on, root, first](std::size_t index) { return contribution(on, root, first + index); };
}

const Registration registration_scatterv({.collective = "scatterv",
                                          .has_forms = true,
                                          .rooted = true,
                                          .has_in_place = true,
                                          .flow = BlockFlow::with_root,
                                          .input = vector_elements,
                                          .output = output_scatterv,
                                          .fill = fill_scatterv,
                                          .call = call_scatterv,
                                          .expected = expected_scatterv});

}  // namespace
}  // namespace laneway::bench
