// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "node/message.hpp"

namespace laneway {

/// Messages that are not over yet. Messages that are over make place for others, with the memory that they had.
class MessagePool {
public:
    NodeMessage* make(NodeMessage::Stage stage, int peer, std::uint16_t context, int tag)
    {
        if (unused_.empty()) unused_.push_back(&all_.emplace_back());
        NodeMessage* const made = unused_.back();
        unused_.pop_back();
        made->stage = stage;
        made->peer = peer;
        made->context = context;
        made->tag = tag;
        return made;
    }

    /// Releases a message that is over, for whose end nobody will ask any more.
    void release(NodeMessage* message)
    {
        message->done.store(false, std::memory_order_relaxed);
        message->is_given_up = false;
        message->is_withdrawn = false;
        message->is_packed = false;
        message->expected = any_length;
        message->moved = 0;
        message->copy = nullptr;
        message->is_received = false;
        message->own.give_back();
        unused_.push_back(message);
    }

    /// Marks a message as done: whoever waits for it asks for its end, unless it was given up.
    void complete(NodeMessage& message)
    {
        if (message.is_given_up)
            release(&message);
        else
            message.done.store(true, std::memory_order_release);
    }

private:
    std::deque<NodeMessage> all_;
    std::vector<NodeMessage*> unused_;
};

}  // namespace laneway
