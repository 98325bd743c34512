// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

int call_exscan(const Problem& on, const char* algorithm, int, const Buffers& memory)
{
    return in_form(on, laneway_exscan_with, laneway_iexscan_with, algorithm, input_of(on, memory),
                   memory.output, on.count, on.type.handle, on.op.handle, on.comm);
}

Expected expected_exscan(const Problem& on, int)
{
    return on.rank == 0 ? anything() : reduction(on, on.rank);
}

const Registration registration_exscan({.collective = "exscan",
                                        .has_forms = true,
                                        .reduces = true,
                                        .has_in_place = true,
                                        .input = one_block,
                                        .output = one_block,
                                        .fill = contribute<one_block>,
                                        .call = call_exscan,
                                        .expected = expected_exscan});

}  // namespace
}  // namespace laneway::bench
