// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operation.hpp"

namespace laneway::bench {
namespace {

std::size_t block(const Problem& on) { return static_cast<std::size_t>(on.count); }

std::size_t blocks(const Problem& on) { return block(on) * static_cast<std::size_t>(on.size); }

void fill(const Problem& on, int, Memory& memory)
{
    Problem whole = on;
    whole.count = on.count * on.size;
    write_contribution(whole, memory.input);
}

int call(const Problem& on, const char* algorithm, int, Memory& memory)
{
    return laneway_reduce_scatter_block_with(algorithm, memory.input.data(), memory.output.data(),
                                             on.count, on.type.handle, on.op.handle, on.comm);
}

const Registration registration({.collective = "reduce_scatter_block",
                                 .reduces = true,
                                 .rooted = false,
                                 .input = blocks,
                                 .output = block,
                                 .fill = fill,
                                 .call = call});

}  // namespace
}  // namespace laneway::bench
