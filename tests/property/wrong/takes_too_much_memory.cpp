// SPDX-License-Identifier: BSD-3-Clause
#include "../wrong.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"

namespace laneway::property {

static void allgather_takes_too_much_memory(const Allgather& call, const Decomposition& on)
{
    const Scratch unneeded(2 * call.result.count, call.result.type);
    native::serve(call, on.world);
}

static const RegisterWrong<Allgather> entry({.run = allgather_takes_too_much_memory,
                                             .memory = {.message = 1},
                                             .about = {}});

}  // namespace laneway::property
