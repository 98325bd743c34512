// SPDX-License-Identifier: BSD-3-Clause
#include "../wrong.hpp"
#include "decomposition/components.hpp"

namespace laneway::property {

/// Writes what stood there before, so that the result shows nothing of it.
static void bcast_writes_to_input(const Bcast& call, const Decomposition& on)
{
    native::serve(call, on.world);
    auto* const first = static_cast<volatile char*>(call.data.data);
    if (on.world.rank() == call.root) *first = *first;
}

static const RegisterWrong<Bcast> entry({.run = bcast_writes_to_input, .about = {}});

}  // namespace laneway::property
