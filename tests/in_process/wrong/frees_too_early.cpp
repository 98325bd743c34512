// SPDX-License-Identifier: BSD-3-Clause
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "messages/messages.hpp"
#include "wrong.hpp"

namespace laneway::property {

static void frees_too_early(const Scatter& call, const Decomposition& on)
{
    // Messages under way stand in memory that is gone.
    Messages messages(on.world);
    const std::int64_t length = call.mine.count;
    for (int peer = 0; on.world.rank() == call.root && peer < on.world.size(); ++peer) {
        const Scratch block(length, call.mine.type);
        copy(call.whole.slice(peer * length, length), block.buffer(), on.world);
        messages.send(block.buffer(), peer, 0);
    }
    messages.receive(call.mine, call.root, 0);
    messages.wait();
}

static const RegisterWrong<Scatter> entry({.run = frees_too_early, .about = {}});

}  // namespace laneway::property
