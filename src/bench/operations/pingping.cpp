// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

/// Both send at once: the messages get into each other's way.
int call_pingping(const Problem& on, const char*, int, const Buffers& memory)
{
    const int other = pair_partner(on);
    MPI_Request request = MPI_REQUEST_NULL;
    if (const int code =
            MPI_Isend(memory.input, on.count, on.type.handle, other, 0, on.comm, &request);
        code != MPI_SUCCESS)
        return code;
    if (const int code =
            MPI_Recv(memory.output, on.count, on.type.handle, other, 0, on.comm, MPI_STATUS_IGNORE);
        code != MPI_SUCCESS)
        return code;
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

Expected expected_pingping(const Problem& on, int) { return sent_by(on, pair_partner(on)); }

const Registration registration_pingping({.collective = "pingping",
                                          .least_ranks = 2,
                                          .in_pairs = true,
                                          .input = one_block,
                                          .output = one_block,
                                          .fill = contribute<one_block>,
                                          .call = call_pingping,
                                          .expected = expected_pingping});

}  // namespace
}  // namespace laneway::bench
