// SPDX-License-Identifier: BSD-3-Clause
#include "../wrong.hpp"
#include "decomposition/components.hpp"

namespace laneway::property {

static void bcast_wrong_at_one_root(const Bcast& call, const Decomposition& on)
{
    native::serve(call, on.world);
    if (call.root == 1 && on.world.rank() == 0) *static_cast<char*>(call.data.data) ^= 1;
}

static const RegisterWrong<Bcast> entry({.run = bcast_wrong_at_one_root, .about = {}});

}  // namespace laneway::property
