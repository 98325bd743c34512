// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

int call(const Problem& on, const char* algorithm, int, const Buffers& memory)
{
    return laneway_exscan_with(algorithm, input_of(on, memory), memory.output, on.count,
                               on.type.handle, on.op.handle, on.comm);
}

Expected expected(const Problem& on, int)
{
    return on.rank == 0 ? anything() : reduction(on, on.rank);
}

const Registration registration({.collective = "exscan",
                                 .reduces = true,
                                 .has_in_place = true,
                                 .input = one_block,
                                 .output = one_block,
                                 .fill = contribute<one_block>,
                                 .call = call,
                                 .expected = expected});

}  // namespace
}  // namespace laneway::bench
