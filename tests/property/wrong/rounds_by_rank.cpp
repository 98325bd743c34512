// SPDX-License-Identifier: BSD-3-Clause
#include "../wrong.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "library/error.hpp"

namespace laneway::property {

/// Every rank adds doubles up in an order of its own, which only rounding shows.
static void allreduce_rounds_by_rank(const Allreduce& call, const Decomposition& on)
{
    const int size = on.world.size();
    if (call.input.type != MPI_DOUBLE) return native::serve(call, on.world);

    const Scratch all(size * call.input.count, call.input.type);
    native::serve(Allgather{call.input, all.buffer()}, on.world);
    const auto block = [&](int rank) {
        return all.buffer().slice(rank % size * call.input.count, call.input.count);
    };
    pmpi::copy(block(on.world.rank()), call.result, on.world);
    for (int step = 1; step < size; ++step)
        check(PMPI_Reduce_local(block(on.world.rank() + step).data, call.result.data,
                                static_cast<int>(call.result.count), call.result.type, call.op));
}

static const RegisterWrong<Allreduce> entry({.run = allreduce_rounds_by_rank,
                                             .memory = {.message = 1e6},
                                             .about = {}});

}  // namespace laneway::property
