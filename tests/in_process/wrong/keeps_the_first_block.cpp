// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/components.hpp"
#include "walks/all_to_all.hpp"
#include "wrong.hpp"

namespace laneway::property {

static void keeps_the_first_block(const Alltoallv& call, const Decomposition& on)
{
    // Everyone's block for itself is taken from the start of what it sends.
    const Buffer own = call.result_part.block(call.result, on.world.rank());
    all_to_all(call.input, call.input_part, call.result, call.result_part, 1, one_way, on.world);
    if (call.input.data != call.result.data && own.count > 0)
        copy(call.input.slice(0, own.count), own, on.world);
}

static const RegisterWrong<Alltoallv> entry(
    {.run = keeps_the_first_block, .flat = true, .memory = {.message = 1}, .about = {}});

}  // namespace laneway::property
