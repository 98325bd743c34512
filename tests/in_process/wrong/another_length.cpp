// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/components.hpp"
#include "messages/messages.hpp"
#include "wrong.hpp"

namespace laneway::property {

static void another_length(const Gather& call, const Decomposition& on)
{
    // Rank 0 sends an element less.
    Messages messages(on.world);
    const std::int64_t length = call.mine.count;
    messages.send(call.mine.slice(0, length - (on.world.rank() == 0 && length > 1)), call.root, 0);
    for (int peer = 0; on.world.rank() == call.root && peer < on.world.size(); ++peer)
        messages.receive(call.whole.slice(peer * length, length), peer, 0);
    messages.wait();
}

static const RegisterWrong<Gather> entry({.run = another_length,
                                          .needs = {.regular = true},
                                          .about = {}});

}  // namespace laneway::property
