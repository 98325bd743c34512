// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

int call_allreduce(const Problem& on, const char* algorithm, int, const Buffers& memory)
{
    return in_form(on, laneway_allreduce_with, laneway_iallreduce_with, algorithm,
                   input_of(on, memory), memory.output, on.count, on.type.handle, on.op.handle,
                   on.comm);
}

Expected expected_allreduce(const Problem& on, int) { return reduction(on, on.size); }

const Registration registration_allreduce({.collective = "allreduce",
                                           .has_forms = true,
                                           .reduces = true,
                                           .has_in_place = true,
                                           .input = one_block,
                                           .output = one_block,
                                           .fill = contribute<one_block>,
                                           .call = call_allreduce,
                                           .expected = expected_allreduce});

}  // namespace
}  // namespace laneway::bench
