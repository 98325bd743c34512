// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

void fill_allgather(const Problem& on, int, const Buffers& memory)
{
    std::byte* const own = on.in_place ? block_of(on, memory.output, on.rank) : memory.input;
    write_contribution(on, own, one_block(on));
}

int call_allgather(const Problem& on, const char* algorithm, int, const Buffers& memory)
{
    return in_form(on, laneway_allgather_with, laneway_iallgather_with, algorithm,
                   input_of(on, memory), on.count, on.type.handle, memory.output, on.count,
                   on.type.handle, on.comm);
}

Expected expected_allgather(const Problem& on, int) { return gathered(on); }

const Registration registration_allgather({.collective = "allgather",
                                           .has_forms = true,
                                           .has_in_place = true,
                                           .input = one_block,
                                           .output = block_per_rank,
                                           .fill = fill_allgather,
                                           .call = call_allgather,
                                           .expected = expected_allgather});

}  // namespace
}  // namespace laneway::bench
