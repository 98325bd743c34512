// SPDX-License-Identifier: BSD-3-Clause
// How messages end that both sides copy, and those that are given up.
#include <algorithm>
#include <cstring>
#include <utility>

#include "node/channel.hpp"

namespace laneway {

/// Ends a joint copy: all of the message is there, or it comes by the ring. It does so where the system has kept one
/// side from the other's memory, or where that may have become another's before all was read. Both sides know alike.
void NodeChannel::conclude(NodeMessage& message)
{
    JointCopy& copy = *std::exchange(message.copy, nullptr);
    const bool held = message.is_received ? peer(message.peer).in.withdrawn() == message.withdrawals
                                          : !message.is_withdrawn;
    const bool well = copy.conclude(held && !copy.has_failed());
    copy.end();
    if (well) return messages_.complete(message);
    if (message.is_received) {
        message.stage = NodeMessage::Stage::comes;
        want(message.peer, 1);
    } else {
        message.stage = NodeMessage::Stage::granted;
        queue(message);
    }
}

/// Keeps a copy of a message. Its receiver waits for it, whatever becomes of the caller's memory.
void NodeChannel::keep(NodeMessage& message)
{
    const auto length = static_cast<std::size_t>(message.length);
    std::byte* const kept = message.own.take(length);
    std::memcpy(kept, message.bytes, length);
    message.bytes = kept;
}

void NodeChannel::give_up(NodeMessage* message)
{
    const ChannelLock::Hold hold(lock_);
    if (message->done) return messages_.release(message);
    message->is_given_up = true;
    PeerQueues& its = peer(message->peer);
    switch (message->stage) {
    case NodeMessage::Stage::posted:
        std::erase(its.posted, message);
        want(message->peer, -1);
        return messages_.release(message);
    case NodeMessage::Stage::answers:
        if (message->copy) std::exchange(message->copy, nullptr)->take_back();
        [[fallthrough]];
    case NodeMessage::Stage::asked:
    case NodeMessage::Stage::comes:
        message->room = 0;
        return;
    case NodeMessage::Stage::joint:
        if (message->own) return;
        if (message->is_received) {
            copies_.give_up(*message);
            message->room = 0;
            return conclude(*message);
        }
        [[fallthrough]];
    case NodeMessage::Stage::waiting:
        if (message->own) return;
        keep(*message);
        // Its receiver knows where it was.
        message->is_withdrawn = true;
        return its.out.withdraw();
    case NodeMessage::Stage::queued:
    case NodeMessage::Stage::asking:
    case NodeMessage::Stage::granted:
        if (!message->own) keep(*message);
    }
}

}  // namespace laneway
