// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <algorithm>
#include <array>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

std::size_t two_blocks(const Problem& on) { return 2 * one_block(on); }

/// Everyone exchanges with both neighbours in a ring: sends to either at once, then receives.
int call_exchange(const Problem& on, const char*, int, const Buffers& memory)
{
    enum Tag { up, down };
    std::array<MPI_Request, 2> sends = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    const std::array<int, 4> codes = {
        MPI_Isend(memory.input, on.count, on.type.handle, next(on), up, on.comm, sends.data()),
        MPI_Isend(memory.input, on.count, on.type.handle, previous(on), down, on.comm, &sends[1]),
        MPI_Recv(memory.output, on.count, on.type.handle, previous(on), up, on.comm,
                 MPI_STATUS_IGNORE),
        MPI_Recv(block_of(on, memory.output, 1), on.count, on.type.handle, next(on), down, on.comm,
                 MPI_STATUS_IGNORE)};
    const int waited = MPI_Waitall(2, sends.data(), MPI_STATUSES_IGNORE);
    const auto* const wrong =
        std::ranges::find_if(codes, [](int code) { return code != MPI_SUCCESS; });
    return wrong == codes.end() ? waited : *wrong;
}

Expected expected_exchange(const Problem& on, int)
{
    return [&on](std::size_t index) {
        const int from = index < one_block(on) ? previous(on) : next(on);
        return contribution(on, from, index % one_block(on));
    };
}

const Registration registration_exchange({.collective = "exchange",
                                          .least_ranks = 2,
                                          .input = one_block,
                                          .output = two_blocks,
                                          .fill = contribute<one_block>,
                                          .call = call_exchange,
                                          .expected = expected_exchange});

}  // namespace
}  // namespace laneway::bench
