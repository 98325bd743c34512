// SPDX-License-Identifier: BSD-3-Clause
#include "../wrong.hpp"
#include "decomposition/components.hpp"

namespace laneway::property {

static void exscan_writes_on_rank_0(const Exscan& call, const Decomposition& on)
{
    plain::serve(call, on.world);
    const bool in_place = call.input.data == call.result.data;  // MPICH ends at a copy onto itself
    if (on.world.rank() == 0 && !in_place) copy(call.input, call.result, on.world);
}

static const RegisterWrong<Exscan> entry({.run = exscan_writes_on_rank_0,
                                          .about = {"defines the undefined", "", "", "", ""}});

}  // namespace laneway::property
