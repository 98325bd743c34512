// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

void fill(const Problem& on, int root, const Buffers& memory)
{
    if (on.rank == root) write_contribution(on, memory.output, one_block(on));
}

int call(const Problem& on, const char* algorithm, int root, const Buffers& memory)
{
    return laneway_bcast_with(algorithm, memory.output, on.count, on.type.handle, root, on.comm);
}

Expected expected(const Problem& on, int root) { return sent_by(on, root); }

const Registration registration({.collective = "bcast",
                                 .rooted = true,
                                 .input = no_elements,
                                 .output = one_block,
                                 .fill = fill,
                                 .call = call,
                                 .expected = expected});

}  // namespace
}  // namespace laneway::bench
