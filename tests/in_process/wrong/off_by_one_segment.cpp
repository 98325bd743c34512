// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/components.hpp"
#include "messages/messages.hpp"
#include "wrong.hpp"

namespace laneway::property {

static void off_by_one_segment(const Bcast& call, const Decomposition& on)
{
    // The last segment is one element too short.
    const int size = on.world.size(), rank = on.world.rank();
    const std::int64_t half = call.data.count / 2;
    for (int segment = 0; segment < 2; ++segment) {
        const Buffer data =
            call.data.slice(segment * half, segment ? call.data.count - half - 1 : half);
        Messages messages(on.world);
        for (int peer = 0; rank == call.root && peer < size; ++peer)
            if (peer != rank) messages.send(data, peer, 0);
        if (rank != call.root) messages.receive(data, call.root, 0);
        messages.wait();
    }
}

static const RegisterWrong<Bcast> entry({.run = off_by_one_segment, .about = {}});

}  // namespace laneway::property
