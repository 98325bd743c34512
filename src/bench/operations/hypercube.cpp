// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

int dimensions(const Problem& on)
{
    int number = 0;
    while (1 << number < on.size) ++number;
    return number;
}

/// The rank across `dimension`. Where the number of ranks is no power of two, some ranks have none.
int partner(const Problem& on, int dimension)
{
    const int other = on.rank ^ (1 << dimension);
    return other < on.size ? other : MPI_PROC_NULL;
}

std::size_t output_hypercube(const Problem& on)
{
    return one_block(on) * static_cast<std::size_t>(dimensions(on));
}

/// An exchange across every dimension, one after the other.
int call_hypercube(const Problem& on, const char*, int, const Buffers& memory)
{
    for (int dimension = 0; dimension < dimensions(on); ++dimension) {
        const int other = partner(on, dimension);
        const int code = MPI_Sendrecv(memory.input, on.count, on.type.handle, other, 0,
                                      block_of(on, memory.output, dimension), on.count,
                                      on.type.handle, other, 0, on.comm, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
}

Expected expected_hypercube(const Problem& on, int)
{
    return [&on](std::size_t index) -> std::optional<Value> {
        const int other = partner(on, static_cast<int>(index / one_block(on)));
        if (other == MPI_PROC_NULL) return std::nullopt;
        return contribution(on, other, index % one_block(on));
    };
}

const Registration registration_hypercube({.collective = "hypercube",
                                           .least_ranks = 2,
                                           .input = one_block,
                                           .output = output_hypercube,
                                           .fill = contribute<one_block>,
                                           .call = call_hypercube,
                                           .expected = expected_hypercube});

}  // namespace
}  // namespace laneway::bench
