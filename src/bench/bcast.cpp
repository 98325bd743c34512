// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operation.hpp"

namespace laneway::bench {
namespace {

std::size_t input(const Problem&) { return 0; }

std::size_t output(const Problem& on) { return static_cast<std::size_t>(on.count); }

void fill(const Problem& on, int root, Memory& memory)
{
    if (on.rank == root) write_contribution(on, memory.output);
}

int call(const Problem& on, const char* algorithm, int root, Memory& memory)
{
    return laneway_bcast_with(algorithm, memory.output.data(), on.count, on.type.handle, root,
                              on.comm);
}

const Registration registration({.collective = "bcast",
                                 .reduces = false,
                                 .rooted = true,
                                 .input = input,
                                 .output = output,
                                 .fill = fill,
                                 .call = call});

}  // namespace
}  // namespace laneway::bench
