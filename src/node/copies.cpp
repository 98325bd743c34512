// SPDX-License-Identifier: BSD-3-Clause
// What a node channel does with copies that both sides make, and with messages that are given up.
#include <algorithm>
#include <cstring>
#include <utility>

#include "node/channel.hpp"

namespace laneway {

/// Null: it comes by the ring.
JointCopy* NodeChannel::new_copy(const NodeMessage& message) const
{
    if (ids_.empty() || message.length < asked_from_ || message.length > message.room)
        return nullptr;
    for (JointCopy* copy = copies_of(self_); copy != copies_of(self_ + 1); ++copy)
        if (copy->begin()) return copy;
    return nullptr;
}

void NodeChannel::join(NodeMessage& message)
{
    message.stage = NodeMessage::Stage::joint;
    joint_.push_back(&message);
    copying_ = joint_.size();
}

/// A block of each message that both copy; true: something has moved.
bool NodeChannel::copy()
{
    bool moved = false;
    std::erase_if(joint_, [&](NodeMessage* one) {
        moved = one->copy->copy_block({ids_[static_cast<std::size_t>(one->peer)], one->there,
                                       one->bytes, one->length, one->is_received}) ||
                moved;
        if (!one->copy->is_done(one->length)) return false;
        conclude(*one);
        return moved = true;
    });
    copying_ = joint_.size();
    return moved;
}

/// All of it is there; or it comes by the ring, where the system has kept one side from the other's memory, or that memory
/// may have become another's before all of it was read. Both sides know alike.
void NodeChannel::conclude(NodeMessage& message)
{
    JointCopy& copy = *std::exchange(message.copy, nullptr);
    const bool held = message.is_received ? peer(message.peer).in.withdrawn() == message.withdrawals
                                          : !message.is_withdrawn;
    const bool well = copy.conclude(held && !copy.has_failed());
    copy.end();
    if (well) return complete(message);
    if (message.is_received) {
        message.stage = NodeMessage::Stage::comes;
        want(message.peer, 1);
    } else {
        message.stage = NodeMessage::Stage::granted;
        queue(message);
    }
}

/// Its receiver waits for it, whatever becomes of the caller's memory.
void NodeChannel::keep(NodeMessage& message)
{
    const auto length = static_cast<std::size_t>(message.length);
    std::byte* const kept = message.own.take(length);
    std::memcpy(kept, message.bytes, length);
    message.bytes = kept;
}

void NodeChannel::give_up(NodeMessage* message)
{
    const Lock lock(*this);
    if (message->done) return release(message);
    message->is_given_up = true;
    Peer& its = peer(message->peer);
    switch (message->stage) {
    case NodeMessage::Stage::posted:
        std::erase(its.posted, message);
        want(message->peer, -1);
        return release(message);
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
            message->copy->give_up(message->length, ids_[static_cast<std::size_t>(message->peer)]);
            message->room = 0;
            std::erase(joint_, message);
            copying_ = joint_.size();
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
