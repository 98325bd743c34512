// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/components.hpp"
#include "messages/messages.hpp"
#include "wrong.hpp"

namespace laneway::property {

static void stops_at_an_empty_block(const Allgatherv& call, const Decomposition& on)
{
    // Stops as if nobody after it had anything.
    const int size = on.world.size(), rank = on.world.rank();
    const Buffer own = call.part.block(call.result, rank);
    if (call.mine.data != own.data) copy(call.mine, own, on.world);
    Messages messages(on.world);
    for (int from = 0; from < size && call.part.size(from) > 0; ++from)
        for (int to = 0; to < size; ++to) {
            if (from == to) continue;
            if (rank == from) messages.send(own, to, 0);
            if (rank == to) messages.receive(call.part.block(call.result, from), from, 0);
        }
    messages.wait();
}

static const RegisterWrong<Allgatherv> entry({.run = stops_at_an_empty_block, .about = {}});

}  // namespace laneway::property
