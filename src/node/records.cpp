// SPDX-License-Identifier: BSD-3-Clause
// The work of a node channel with records: those that leave, and those that have come.
#include <algorithm>
#include <cstring>

#include "node/channel.hpp"

namespace laneway {
namespace {

using Stage = NodeMessage::Stage;

std::uint64_t name_of(const NodeMessage& message)
{
    return reinterpret_cast<std::uintptr_t>(&message);
}

/// Where a message lies, with the record that asks for it or grants it.
struct Location {
    std::uint64_t there;
    std::int64_t number;  ///< asking: withdrawals until then; granting: the copy that both make
};
constexpr std::int64_t no_copy = -1;

Location location_in(const std::byte* bytes)
{
    Location location{};
    std::memcpy(&location, bytes, sizeof location);
    return location;
}

NodeMessage& named(std::uint64_t name) { return *reinterpret_cast<NodeMessage*>(name); }

}  // namespace

/// Sends as much as there is room for; true: something has left.
bool NodeChannel::leave(int to)
{
    PeerQueues& its = peer(to);
    std::size_t left = 0;
    bool moved = false;
    while (left < its.leaving.size()) {
        NodeMessage& first = *its.leaving[left];
        const std::int64_t before = first.moved;
        if (!put(its, first)) {
            moved = moved || first.moved != before;
            break;
        }
        moved = true;
        ++left;
    }
    its.leaving.erase(its.leaving.begin(), its.leaving.begin() + static_cast<std::ptrdiff_t>(left));
    if (its.leaving.empty())
        leaving_.store(leaving_.load(std::memory_order_relaxed) & ~(std::uint64_t{1} << to),
                       std::memory_order_relaxed);
    return moved;
}

/// Puts a message into the ring; true: all of it has left.
bool NodeChannel::put(PeerQueues& to, NodeMessage& message)
{
    switch (message.stage) {
    case Stage::asking: {
        const Location location{reinterpret_cast<std::uintptr_t>(message.bytes),
                                to.out.withdrawn()};
        if (!to.out.put({message.tag, message.context, Ring::Kind::ask, sizeof location,
                         static_cast<std::uint64_t>(message.length), name_of(message)},
                        &location))
            return false;
        message.stage = Stage::waiting;
        want(message.peer, 1);
        return true;
    }
    case Stage::answers: {
        const Location location{reinterpret_cast<std::uintptr_t>(message.bytes),
                                message.copy ? copies_.number_of(message.copy) : no_copy};
        if (!to.out.put({0, 0, Ring::Kind::grant, sizeof location, message.other, name_of(message)},
                        &location))
            return false;
        message.stage = Stage::comes;
        if (!message.copy) return true;
        message.is_received = true;
        want(message.peer, -1);
        copies_.join(message);
        return true;
    }
    default:
        if (!put_pieces(to, message)) return false;
        messages_.complete(message);
        return true;
    }
}

bool NodeChannel::put_pieces(PeerQueues& to, NodeMessage& message)
{
    const Ring::Kind first =
        message.stage == Stage::granted ? Ring::Kind::begin : Ring::Kind::first;
    do {
        const std::int64_t bytes = std::min(piece_, message.length - message.moved);
        if (!to.out.put(
                {message.tag, message.context, message.moved == 0 ? first : Ring::Kind::more,
                 static_cast<std::uint32_t>(bytes), static_cast<std::uint64_t>(message.length),
                 message.other},
                message.bytes + message.moved))
            return false;
        message.moved += bytes;
    } while (message.moved < message.length);
    return true;
}

/// Takes records that have come, as long as something is wanted; true: some were there.
bool NodeChannel::arrive(int from)
{
    PeerQueues& its = peer(from);
    bool moved = false;
    while (its.wants > 0) {
        const Ring::Head* const head = its.in.front();
        if (!head) break;
        moved = true;
        switch (head->kind) {
        case Ring::Kind::first:
            begin(its, from, *head);
            take(its, *head);
            break;
        case Ring::Kind::begin:
            its.comes = &named(head->other);
            take(its, *head);
            break;
        case Ring::Kind::more:
            take(its, *head);
            break;
        case Ring::Kind::ask:
            ask(its, from, *head);
            break;
        case Ring::Kind::grant:
            granted(its, from, *head);
            break;
        }
        its.in.pop();
    }
    return moved;
}

/// Begins a message that came without being asked for. It goes to the receive that wants it, or to memory of ours.
void NodeChannel::begin(PeerQueues& from, int rank, const Ring::Head& head)
{
    const auto length = static_cast<std::int64_t>(head.number);
    if (NodeMessage* const wants = from.take_posted(head.context, head.tag)) {
        from.comes = wants;
        from.in.want(PeerQueues::cost(head.number));
    } else {
        from.comes = messages_.make(Stage::comes, rank, head.context, head.tag);
        from.comes->bytes = from.comes->own.take(static_cast<std::size_t>(length));
        from.comes->room = length;
        from.unexpected.push_back(from.comes);
    }
    from.comes->stage = Stage::comes;
    from.comes->length = length;
}

void NodeChannel::ask(PeerQueues& from, int rank, const Ring::Head& head)
{
    NodeMessage* const wants = from.take_posted(head.context, head.tag);
    NodeMessage& asked =
        wants ? *wants : *messages_.make(Stage::asked, rank, head.context, head.tag);
    asked.length = static_cast<std::int64_t>(head.number);
    asked.other = head.other;
    const Location location = location_in(from.in.bytes());
    asked.there = location.there;
    asked.withdrawals = static_cast<std::uint32_t>(location.number);
    if (!wants) return from.unexpected.push_back(&asked);
    grant(asked);
}

void NodeChannel::grant(NodeMessage& message)
{
    message.stage = Stage::answers;
    const bool is_long = message.length >= asked_from_ && message.length <= message.room;
    message.copy = is_long ? copies_.begin() : nullptr;
    queue(message);
    leave(message.peer);
}

/// The receiver says that a message of ours may come.
void NodeChannel::granted(PeerQueues& from, int rank, const Ring::Head& head)
{
    NodeMessage& sent = named(head.number);
    const Location location = location_in(from.in.bytes());
    want(rank, -1);
    sent.other = head.other;
    sent.there = location.there;
    if (location.number == no_copy) {
        sent.stage = Stage::granted;
        return queue(sent);
    }
    sent.copy = copies_.of(rank, location.number);
    copies_.join(sent);
}

/// Takes the bytes of a record, for the message that comes.
void NodeChannel::take(PeerQueues& from, const Ring::Head& head)
{
    NodeMessage& into = *from.comes;
    const std::int64_t fits = std::clamp<std::int64_t>(into.room - into.moved, 0, head.bytes);
    if (fits > 0)
        std::memcpy(into.bytes + into.moved, from.in.bytes(), static_cast<std::size_t>(fits));
    into.moved += head.bytes;
    if (into.moved < into.length) return;
    from.comes = nullptr;
    const bool is_unexpected = std::ranges::find(from.unexpected, &into) != from.unexpected.end();
    if (is_unexpected) return;
    want(into.peer, -1);
    messages_.complete(into);
}

/// The message that is wanted has come before, or has begun to, or is asked about.
void NodeChannel::adopt(NodeMessage& posted, NodeMessage& unexpected)
{
    posted.length = unexpected.length;
    if (unexpected.stage == Stage::asked) {
        posted.other = unexpected.other;
        posted.there = unexpected.there;
        posted.withdrawals = unexpected.withdrawals;
        messages_.release(&unexpected);
        return grant(posted);
    }
    posted.stage = Stage::comes;
    posted.moved = unexpected.moved;
    const std::int64_t fits = std::min(posted.room, posted.moved);
    if (fits > 0) std::memcpy(posted.bytes, unexpected.bytes, static_cast<std::size_t>(fits));
    PeerQueues& its = peer(posted.peer);
    its.in.want(PeerQueues::cost(static_cast<std::uint64_t>(posted.length)));
    if (its.comes == &unexpected) its.comes = &posted;
    const bool has_come = its.comes != &posted;
    messages_.release(&unexpected);
    if (!has_come) return;
    want(posted.peer, -1);
    messages_.complete(posted);
}

}  // namespace laneway
