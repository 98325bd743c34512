// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

void fill_reduce(const Problem& on, int root, const Buffers& memory)
{
    write_contribution(on, root_in_place(on, root) ? memory.output : memory.input, one_block(on));
}

int call_reduce(const Problem& on, const char* algorithm, int root, const Buffers& memory)
{
    return in_form(on, laneway_reduce_with, laneway_ireduce_with, algorithm,
                   root_in_place(on, root) ? MPI_IN_PLACE : memory.input, memory.output, on.count,
                   on.type.handle, on.op.handle, root, on.comm);
}

Expected expected_reduce(const Problem& on, int root)
{
    return on.rank == root ? reduction(on, on.size) : anything();
}

const Registration registration_reduce({.collective = "reduce",
                                        .has_forms = true,
                                        .reduces = true,
                                        .rooted = true,
                                        .has_in_place = true,
                                        .input = one_block,
                                        .output = one_block,
                                        .fill = fill_reduce,
                                        .call = call_reduce,
                                        .expected = expected_reduce});

}  // namespace
}  // namespace laneway::bench
