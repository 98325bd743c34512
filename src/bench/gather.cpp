// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operation.hpp"

namespace laneway::bench {
namespace {

std::size_t block(const Problem& on) { return static_cast<std::size_t>(on.count); }

std::size_t blocks(const Problem& on) { return block(on) * static_cast<std::size_t>(on.size); }

void fill(const Problem& on, int, Memory& memory) { write_contribution(on, memory.input); }

int call(const Problem& on, const char* algorithm, int root, Memory& memory)
{
    return laneway_gather_with(algorithm, memory.input.data(), on.count, on.type.handle,
                               memory.output.data(), on.count, on.type.handle, root, on.comm);
}

const Registration registration({.collective = "gather",
                                 .reduces = false,
                                 .rooted = true,
                                 .input = block,
                                 .output = blocks,
                                 .fill = fill,
                                 .call = call});

}  // namespace
}  // namespace laneway::bench
