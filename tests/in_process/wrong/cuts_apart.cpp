// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/components.hpp"
#include "messages/messages.hpp"
#include "wrong.hpp"

namespace laneway::property {

static void cuts_apart(const Scatterv& call, const Decomposition& on)
{
    // The root's first share of a block for another node is the longer one, and there the shorter.
    const int root = call.root, rank = on.world.rank();
    const auto is_far = [&](int peer) { return on.locate(peer).node != on.locate(root).node; };
    Messages messages(on.world);
    const auto in_shares = [&](const Buffer& block, std::int64_t cut, const auto& pass) {
        pass(block.slice(0, cut));
        pass(block.slice(cut, block.count - cut));
    };
    for (int peer = 0; rank == root && peer < on.world.size(); ++peer) {
        const Buffer block = call.part.block(call.whole, peer);
        if (peer == root)
            copy(block, call.mine, on.world);
        else
            in_shares(block, block.count - block.count / 2,
                      [&](const Buffer& share) { messages.send(share, peer, 0); });
    }
    if (rank != root) {
        const std::int64_t count = call.mine.count;
        in_shares(call.mine, is_far(rank) ? count / 2 : count - count / 2,
                  [&](const Buffer& share) { messages.receive(share, root, 0); });
    }
    messages.wait();
}

static const RegisterWrong<Scatterv> entry({.run = cuts_apart, .about = {}});

}  // namespace laneway::property
