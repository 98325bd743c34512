// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

void fill_bcast(const Problem& on, int root, const Buffers& memory)
{
    if (on.rank == root) write_contribution(on, memory.output, one_block(on));
}

int call_bcast(const Problem& on, const char* algorithm, int root, const Buffers& memory)
{
    return in_form(on, laneway_bcast_with, laneway_ibcast_with, algorithm, memory.output, on.count,
                   on.type.handle, root, on.comm);
}

Expected expected_bcast(const Problem& on, int root) { return sent_by(on, root); }

const Registration registration_bcast({.collective = "bcast",
                                       .has_forms = true,
                                       .rooted = true,
                                       .input = no_elements,
                                       .output = one_block,
                                       .fill = fill_bcast,
                                       .call = call_bcast,
                                       .expected = expected_bcast});

}  // namespace
}  // namespace laneway::bench
