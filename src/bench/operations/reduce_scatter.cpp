// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

/// Elements of the output. In place, the input lies in it.
std::size_t output_reduce_scatter(const Problem& on)
{
    return on.in_place ? vector_elements(on) : layout_block(on, on.rank);
}

int call_reduce_scatter(const Problem& on, const char* algorithm, int, const Buffers& memory)
{
    return in_form(on, laneway_reduce_scatter_with, laneway_ireduce_scatter_with, algorithm,
                   input_of(on, memory), memory.output, on.counts.data(), on.type.handle,
                   on.op.handle, on.comm);
}

Expected expected_reduce_scatter(const Problem& on, int)
{
    const auto first =
        static_cast<std::size_t>(on.displacements[static_cast<std::size_t>(on.rank)]);
    const Expected own = reduction(on, on.size, first);
    const std::size_t elements = layout_block(on, on.rank);
    return
        [elements, own](std::size_t index) { return index < elements ? own(index) : std::nullopt; };
}

const Registration registration_reduce_scatter({.collective = "reduce_scatter",
                                                .has_forms = true,
                                                .reduces = true,
                                                .has_in_place = true,
                                                .flow = BlockFlow::with_all,
                                                .input = vector_elements,
                                                .output = output_reduce_scatter,
                                                .fill = contribute<vector_elements>,
                                                .call = call_reduce_scatter,
                                                .expected = expected_reduce_scatter});

}  // namespace
}  // namespace laneway::bench
