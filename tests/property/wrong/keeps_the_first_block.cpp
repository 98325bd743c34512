// SPDX-License-Identifier: BSD-3-Clause
#include "../wrong.hpp"
#include "decomposition/components.hpp"
#include "walks/all_to_all.hpp"

namespace laneway::property {

/// Everyone's block for itself is taken from the start of what it sends.
static void alltoallv_keeps_the_first_block(const Alltoallv& call, const Decomposition& on)
{
    const int rank = on.world.rank();
    all_to_all(call.input, call.input_part, call.result, call.result_part, 1, one_way, on.world);
    const Buffer own = call.result_part.block(call.result, rank);
    if (call.input.data != call.result.data && own.count > 0)
        copy(call.input.slice(0, own.count), own, on.world);
}

static const RegisterWrong<Alltoallv> entry(
    {.run = alltoallv_keeps_the_first_block, .flat = true, .memory = {.message = 1}, .about = {}});

}  // namespace laneway::property
