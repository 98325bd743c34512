// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/components.hpp"
#include "messages/messages.hpp"
#include "wrong.hpp"

namespace laneway::property {

static void wrong_peer(const Bcast& call, const Decomposition& on)
{
    // The last rank is told by the one before the root.
    Messages messages(on.world);
    const int size = on.world.size(), rank = on.world.rank();
    for (int peer = 0; rank == call.root && peer < size; ++peer)
        if (peer != rank) messages.send(call.data, peer == size - 1 ? 0 : peer, 0);
    if (rank != call.root) messages.receive(call.data, call.root, 0);
    messages.wait();
}

static const RegisterWrong<Bcast> entry({.run = wrong_peer, .about = {}});

}  // namespace laneway::property
