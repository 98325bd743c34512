// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operation.hpp"

namespace laneway::bench {
namespace {

std::size_t input(const Problem& on) { return static_cast<std::size_t>(on.count); }

std::size_t output(const Problem& on) { return input(on) * static_cast<std::size_t>(on.size); }

void fill(const Problem& on, int, Memory& memory) { write_contribution(on, memory.input); }

int call(const Problem& on, const char* algorithm, int, Memory& memory)
{
    return laneway_allgather_with(algorithm, memory.input.data(), on.count, on.type.handle,
                                  memory.output.data(), on.count, on.type.handle, on.comm);
}

const Registration registration({.collective = "allgather",
                                 .reduces = false,
                                 .rooted = false,
                                 .input = input,
                                 .output = output,
                                 .fill = fill,
                                 .call = call});

}  // namespace
}  // namespace laneway::bench
