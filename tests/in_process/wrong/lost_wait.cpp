// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/components.hpp"
#include "messages/messages.hpp"
#include "wrong.hpp"

namespace laneway::property {

static void lost_wait(const Bcast& call, const Decomposition& on)
{
    const int size = on.world.size(), rank = on.world.rank();
    Messages messages(on.world);
    if (rank > 0 || call.root != 0) messages.receive(call.data, (rank - 1 + size) % size, 0);
    if (rank == 0 && call.root == 0) messages.wait();
    if (rank < size - 1) messages.send(call.data, rank + 1, 0);
    messages.wait();
}

static const RegisterWrong<Bcast> entry({.run = lost_wait,
                                         .needs = {.consecutive = true},
                                         .about = {}});

}  // namespace laneway::property
