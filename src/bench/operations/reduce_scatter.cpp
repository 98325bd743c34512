// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

/// In place, the input lies in the output_reduce_scatter.
std::size_t output_reduce_scatter(const Problem& on)
{
    return on.in_place ? vector_elements(on) : layout_block(on, on.rank);
}

int call_reduce_scatter(const Problem& on, const char*, int, const Buffers& memory)
{
    return MPI_Reduce_scatter(input_of(on, memory), memory.output, on.counts.data(), on.type.handle,
                              on.op.handle, on.comm);
}

Expected expected_reduce_scatter(const Problem& on, int)
{
    const auto first =
        static_cast<std::size_t>(on.displacements[static_cast<std::size_t>(on.rank)]);
    const Expected own = reduction(on, on.size, first);
    return [&on, own](std::size_t index) {
        return index < layout_block(on, on.rank) ? own(index) : std::nullopt;
    };
}

const Registration registration_reduce_scatter({.collective = "reduce_scatter",
                                                .reduces = true,
                                                .has_in_place = true,
                                                .block = layout_block,
                                                .input = vector_elements,
                                                .output = output_reduce_scatter,
                                                .fill = contribute<vector_elements>,
                                                .call = call_reduce_scatter,
                                                .expected = expected_reduce_scatter});

}  // namespace
}  // namespace laneway::bench
