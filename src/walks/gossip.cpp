// SPDX-License-Identifier: BSD-3-Clause
#include "walks/gossip.hpp"

#include <algorithm>
#include <vector>

#include "messages/exchange.hpp"
#include "messages/pmpi.hpp"

namespace laneway {

void place(const Buffer& mine, const Buffer& whole, const Partition& part, const Comm& comm)
{
    const Buffer own = part.block(whole, comm.rank());
    if (own.data != mine.data) pmpi::copy(mine, own, comm);
}

void allgather_in_rounds(const Rounds& rounds, const Buffer& whole, const Partition& part,
                         const Order& order, const Order& blocks, const Comm& comm)
{
    // Blocks are in the order in which they lie in memory: neighbours there are one stretch.
    const auto blocks_of = [&](const Transfer& transfer) {
        Blocks numbers;
        for (const int position : transfer.blocks) numbers.push_back(blocks.rank(position));
        std::ranges::sort(numbers);
        return Stretches(whole, part, numbers);
    };
    // On a node a stretch is a message, which goes from place to place. A message of several would have to be packed.
    const auto for_messages = [&](const Transfer& transfer, const auto& body) {
        const Stretches all = blocks_of(transfer);
        const int peer = order.rank(transfer.peer);
        if (!comm.within_node()) return body(all, peer);
        all.for_each([&](const Buffer& stretch) { body(stretch, peer); });
    };
    for (const auto& [leaving, arriving] : rounds) {
        Exchange messages(comm);
        // Messages that leave are on their way while the rest is prepared.
        for (const Transfer& transfer : leaving)
            for_messages(transfer, [&](const auto& data, int to) { messages.send(data, to); });
        for (const Transfer& transfer : arriving)
            for_messages(transfer,
                         [&](const auto& data, int from) { messages.receive(data, from); });
        messages.wait();
    }
}

void allgather_in_rounds(const Rounds& rounds, const Buffer& whole, const Partition& part,
                         const Order& order, const Comm& comm)
{
    allgather_in_rounds(rounds, whole, part, order, order, comm);
}

}  // namespace laneway
