// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

void fill(const Problem&, int, const Buffers&) {}

int call(const Problem& on, const char* algorithm, int, const Buffers&)
{
    return laneway_barrier_with(algorithm, on.comm);
}

Expected expected(const Problem&, int) { return anything(); }

const Registration registration({.collective = "barrier",
                                 .has_data = false,
                                 .input = no_elements,
                                 .output = no_elements,
                                 .fill = fill,
                                 .call = call,
                                 .expected = expected});

}  // namespace
}  // namespace laneway::bench
