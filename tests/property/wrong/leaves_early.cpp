// SPDX-License-Identifier: BSD-3-Clause
#include "../wrong.hpp"
#include "decomposition/components.hpp"

namespace laneway::property {

static void barrier_leaves_early(const Barrier&, const Decomposition& on)
{
    serve(Barrier{}, on.node);
}

static const RegisterWrong<Barrier> entry({.run = barrier_leaves_early,
                                           .about = {"forgets the other nodes", "", "", "", ""}});

}  // namespace laneway::property
