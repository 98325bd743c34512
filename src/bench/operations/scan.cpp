// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

int call_scan(const Problem& on, const char* algorithm, int, const Buffers& memory)
{
    return in_form(on, laneway_scan_with, laneway_iscan_with, algorithm, input_of(on, memory),
                   memory.output, on.count, on.type.handle, on.op.handle, on.comm);
}

Expected expected_scan(const Problem& on, int) { return reduction(on, on.rank + 1); }

const Registration registration_scan({.collective = "scan",
                                      .has_forms = true,
                                      .reduces = true,
                                      .has_in_place = true,
                                      .input = one_block,
                                      .output = one_block,
                                      .fill = contribute<one_block>,
                                      .call = call_scan,
                                      .expected = expected_scan});

}  // namespace
}  // namespace laneway::bench
