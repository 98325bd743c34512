// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operation.hpp"

namespace laneway::bench {
namespace {

std::size_t elements(const Problem& on) { return static_cast<std::size_t>(on.count); }

void fill(const Problem& on, int, Memory& memory) { write_contribution(on, memory.input); }

int call(const Problem& on, const char* algorithm, int root, Memory& memory)
{
    return laneway_reduce_with(algorithm, memory.input.data(), memory.output.data(), on.count,
                               on.type.handle, on.op.handle, root, on.comm);
}

const Registration registration({.collective = "reduce",
                                 .reduces = true,
                                 .rooted = true,
                                 .input = elements,
                                 .output = elements,
                                 .fill = fill,
                                 .call = call});

}  // namespace
}  // namespace laneway::bench
