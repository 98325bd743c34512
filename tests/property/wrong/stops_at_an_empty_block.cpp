// SPDX-License-Identifier: BSD-3-Clause
#include "../wrong.hpp"
#include "decomposition/components.hpp"

namespace laneway::property {

/// Stops as if nobody after it had anything.
static void allgatherv_stops_at_an_empty_block(const Allgatherv& call, const Decomposition& on)
{
    const Buffer own = call.part.block(call.result, on.world.rank());
    if (call.mine.data != own.data) copy(call.mine, own, on.world);
    for (int rank = 0; rank < on.world.size() && call.part.size(rank) > 0; ++rank)
        native::serve(Bcast{call.part.block(call.result, rank), rank}, on.world);
}

static const RegisterWrong<Allgatherv> entry({.run = allgatherv_stops_at_an_empty_block,
                                              .about = {}});

}  // namespace laneway::property
