// SPDX-License-Identifier: BSD-3-Clause
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "messages/messages.hpp"
#include "wrong.hpp"

namespace laneway::property {

static void tells_twice(const Barrier&, const Decomposition& on)
{
    const Scratch signal(1, MPI_BYTE);
    Messages messages(on.world);
    for (int peer = 1; on.world.rank() == 0 && peer < on.world.size(); ++peer) {
        messages.send(signal.buffer(), peer, 0);
        if (peer == 1) messages.send(signal.buffer(), peer, 1);
    }
    if (on.world.rank() > 0) messages.receive(signal.buffer(), 0, 0);
    messages.wait();
}

static const RegisterWrong<Barrier> entry({.run = tells_twice, .about = {}});

}  // namespace laneway::property
