// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

/// A ring: everyone sends to the next and receives from the previous rank.
int call_sendrecv(const Problem& on, const char*, int, const Buffers& memory)
{
    return MPI_Sendrecv(memory.input, on.count, on.type.handle, next(on), 0, memory.output,
                        on.count, on.type.handle, previous(on), 0, on.comm, MPI_STATUS_IGNORE);
}

Expected expected_sendrecv(const Problem& on, int) { return sent_by(on, previous(on)); }

const Registration registration_sendrecv({.collective = "sendrecv",
                                          .least_ranks = 2,
                                          .input = one_block,
                                          .output = one_block,
                                          .fill = contribute<one_block>,
                                          .call = call_sendrecv,
                                          .expected = expected_sendrecv});

}  // namespace
}  // namespace laneway::bench
