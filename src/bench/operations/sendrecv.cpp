// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

/// A ring: everyone sends to the next and receives from the previous rank.
int call(const Problem& on, const char*, int, const Buffers& memory)
{
    return MPI_Sendrecv(memory.input, on.count, on.type.handle, next(on), 0, memory.output,
                        on.count, on.type.handle, previous(on), 0, on.comm, MPI_STATUS_IGNORE);
}

Expected expected(const Problem& on, int) { return sent_by(on, previous(on)); }

const Registration registration({.collective = "sendrecv",
                                 .least_ranks = 2,
                                 .input = one_block,
                                 .output = one_block,
                                 .fill = contribute<one_block>,
                                 .call = call,
                                 .expected = expected});

}  // namespace
}  // namespace laneway::bench
