// SPDX-License-Identifier: BSD-3-Clause
#include "../wrong.hpp"
#include "decomposition/components.hpp"
#include "messages/messages.hpp"

namespace laneway::property {

/// A block goes in two shares, the first one the longer. The root puts them down as if that were the last one.
static void gatherv_places_by_another_cut(const Gatherv& call, const Decomposition& on)
{
    const int root = call.root, rank = on.world.rank();
    const auto first = [](std::int64_t count) { return count - count / 3; };
    Messages messages(on.world);
    if (rank != root) {
        const std::int64_t count = call.mine.count, cut = first(count);
        messages.send(call.mine.slice(0, cut), root, 0);
        messages.send(call.mine.slice(cut, count - cut), root, 0);
    }
    for (int peer = 0; rank == root && peer < on.world.size(); ++peer) {
        const Buffer block = call.part.block(call.whole, peer);
        const std::int64_t cut = first(block.count);
        if (peer != root) {
            messages.receive(block.slice(0, cut), peer, 0);
            messages.receive(block.slice(block.count / 3, block.count - cut), peer, 0);
        } else if (call.mine.data != block.data) {
            copy(call.mine, block, on.world);
        }
    }
    messages.wait();
}

static const RegisterWrong<Gatherv> entry({.run = gatherv_places_by_another_cut, .about = {}});

}  // namespace laneway::property
