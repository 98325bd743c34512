// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

/// Elements of the output. In place, the input lies in it.
std::size_t output_reduce_scatter_block(const Problem& on)
{
    return on.in_place ? block_per_rank(on) : one_block(on);
}

int call_reduce_scatter_block(const Problem& on, const char* algorithm, int, const Buffers& memory)
{
    return in_form(on, laneway_reduce_scatter_block_with, laneway_ireduce_scatter_block_with,
                   algorithm, input_of(on, memory), memory.output, on.count, on.type.handle,
                   on.op.handle, on.comm);
}

Expected expected_reduce_scatter_block(const Problem& on, int)
{
    const std::size_t first = one_block(on) * static_cast<std::size_t>(on.rank);
    const Expected own = reduction(on, on.size, first);
    return
        [&on, own](std::size_t index) { return index < one_block(on) ? own(index) : std::nullopt; };
}

const Registration registration_reduce_scatter_block({.collective = "reduce_scatter_block",
                                                      .has_forms = true,
                                                      .reduces = true,
                                                      .has_in_place = true,
                                                      .input = block_per_rank,
                                                      .output = output_reduce_scatter_block,
                                                      .fill = contribute<block_per_rank>,
                                                      .call = call_reduce_scatter_block,
                                                      .expected = expected_reduce_scatter_block});

}  // namespace
}  // namespace laneway::bench
