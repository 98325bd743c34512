// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

int call_pingpong(const Problem& on, const char*, int, const Buffers& memory)
{
    const int other = pair_partner(on);
    const auto send = [&] {
        return MPI_Send(memory.input, on.count, on.type.handle, other, 0, on.comm);
    };
    const auto receive = [&] {
        return MPI_Recv(memory.output, on.count, on.type.handle, other, 0, on.comm,
                        MPI_STATUS_IGNORE);
    };
    const bool serves = on.rank < on.size / 2;
    const int code = serves ? send() : receive();
    if (code != MPI_SUCCESS) return code;
    return serves ? receive() : send();
}

Expected expected_pingpong(const Problem& on, int) { return sent_by(on, pair_partner(on)); }

const Registration registration_pingpong({.collective = "pingpong",
                                          .least_ranks = 2,
                                          .in_pairs = true,
                                          .share = 0.5,
                                          .input = one_block,
                                          .output = one_block,
                                          .fill = contribute<one_block>,
                                          .call = call_pingpong,
                                          .expected = expected_pingpong});

}  // namespace
}  // namespace laneway::bench
