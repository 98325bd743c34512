// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operation.hpp"

namespace laneway::bench {
namespace {

std::size_t nothing(const Problem&) { return 0; }

void fill(const Problem&, int, Memory&) {}

int call(const Problem& on, const char* algorithm, int, Memory&)
{
    return laneway_barrier_with(algorithm, on.comm);
}

const Registration registration({.collective = "barrier",
                                 .reduces = false,
                                 .rooted = false,
                                 .input = nothing,
                                 .output = nothing,
                                 .fill = fill,
                                 .call = call});

}  // namespace
}  // namespace laneway::bench
