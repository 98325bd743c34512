// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "node/message.hpp"
#include "node/ring.hpp"

namespace laneway {

/// The outcome of a message that was to go at once.
enum class AtOnce : std::uint8_t {
    done,
    not_yet,  ///< nothing has come
    never,    ///< there is no room, or others are before it: it goes as others do
};

/// The messages to and from one other process of a node: its two rings, and the messages that wait at them.
struct PeerQueues {
    /// Bytes that a process sends to one other without asking, and that no receive there has wanted yet.
    static constexpr std::uint64_t unasked_at_most = 512 << 10;

    Ring::Writer out;
    Ring::Reader in;
    std::vector<NodeMessage*> leaving;     ///< in their order
    std::vector<NodeMessage*> posted;      ///< receives of which nothing has come
    std::vector<NodeMessage*> unexpected;  ///< messages that have come and nobody wants yet
    NodeMessage* comes = nullptr;          ///< the message whose pieces come at present
    int wants = 0;                         ///< receives and answers that are to come from it

    /// Bytes of unasked_at_most that a message takes.
    static std::uint64_t cost(std::uint64_t length) { return std::max(length, least_cost); }

    bool may_leave_unasked()
    {
        if (unasked - wanted < unasked_at_most) return true;
        wanted = out.wanted();
        return unasked - wanted < unasked_at_most;
    }
    /// Counts a message of that length that leaves without being asked for.
    void leave_unasked(std::uint64_t length) { unasked += cost(length); }

    /// Sends a message as a whole, where none waits for room.
    AtOnce leave_at_once(const void* bytes, std::uint32_t length, std::uint16_t context, int tag)
    {
        if (!leaving.empty() || !may_leave_unasked() ||
            !out.put({tag, context, Ring::Kind::first, length, length, 0}, bytes))
            return AtOnce::never;
        leave_unasked(length);
        return AtOnce::done;
    }

    /// Receives a message that is there already, as a whole, and that no earlier receive may want.
    AtOnce come_at_once(void* bytes, std::uint64_t length, std::uint16_t context, int tag)
    {
        if (!posted.empty() || !unexpected.empty() || comes) return AtOnce::never;
        const Ring::Head* const head = in.front();
        if (!head) return AtOnce::not_yet;
        if (head->kind != Ring::Kind::first || head->tag != tag || head->context != context ||
            head->bytes != head->number || head->number != length)
            return AtOnce::never;
        if (head->bytes > 0) std::memcpy(bytes, in.bytes(), head->bytes);
        in.want(cost(head->number));
        in.pop();
        return AtOnce::done;
    }

    /// The first receive that wants the message that comes. It is no longer posted then. Null: none does.
    NodeMessage* take_posted(std::uint16_t context, int tag) { return take(posted, context, tag); }
    /// The first message that has come and that a receive wants; null: none is there.
    NodeMessage* take_unexpected(const NodeMessage& wanted)
    {
        return take(unexpected, wanted.context, wanted.tag);
    }

private:
    /// Bytes that keeping a message costs at least.
    static constexpr std::uint64_t least_cost = 256;

    static NodeMessage* take(std::vector<NodeMessage*>& from, std::uint16_t context, int tag)
    {
        const auto found = std::ranges::find_if(from, [&](const NodeMessage* one) {
            return one->tag == tag && one->context == context;
        });
        if (found == from.end()) return nullptr;
        NodeMessage* const message = *found;
        from.erase(found);
        return message;
    }

    std::uint64_t unasked = 0;  ///< bytes that have left unasked, or are to
    std::uint64_t wanted = 0;   ///< bytes of these that receives have wanted, as was seen last
};

}  // namespace laneway
