// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operation.hpp"

namespace laneway::bench {
namespace {

void fill(const Problem& on, int, const Memory& memory)
{
    write_contribution(on, on.in_place ? memory.output : memory.input, one_block(on));
}

int call(const Problem& on, const char* algorithm, int, const Memory& memory)
{
    return laneway_allreduce_with(algorithm, on.in_place ? MPI_IN_PLACE : memory.input,
                                  memory.output, on.count, on.type.handle, on.op.handle, on.comm);
}

Expected expected(const Problem& on, int) { return reduction(on, on.size); }

const Registration registration({.collective = "allreduce",
                                 .reduces = true,
                                 .has_in_place = true,
                                 .input = one_block,
                                 .output = one_block,
                                 .fill = fill,
                                 .call = call,
                                 .expected = expected});

}  // namespace
}  // namespace laneway::bench
