// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

int call_alltoall(const Problem& on, const char* algorithm, int, const Buffers& memory)
{
    return in_form(on, laneway_alltoall_with, laneway_ialltoall_with, algorithm,
                   input_of(on, memory), on.count, on.type.handle, memory.output, on.count,
                   on.type.handle, on.comm);
}

Expected expected_alltoall(const Problem& on, int)
{
    const std::size_t first = one_block(on) * static_cast<std::size_t>(on.rank);
    return [&on, first](std::size_t index) {
        return contribution(on, static_cast<int>(index / one_block(on)),
                            first + index % one_block(on));
    };
}

const Registration registration_alltoall({.collective = "alltoall",
                                          .has_forms = true,
                                          .has_in_place = true,
                                          .input = block_per_rank,
                                          .output = block_per_rank,
                                          .fill = contribute<block_per_rank>,
                                          .call = call_alltoall,
                                          .expected = expected_alltoall});

}  // namespace
}  // namespace laneway::bench
