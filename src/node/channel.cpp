// SPDX-License-Identifier: BSD-3-Clause
#include "node/channel.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "data/datatype.hpp"

namespace laneway {
namespace {

constexpr std::size_t largest_room = 256 << 10;  ///< of a ring: in the processor's cache
constexpr std::size_t least_room = 4 << 10;
constexpr std::size_t all_rooms = 8 << 20;
/// A piece: messages of one take nothing else than two copies, which is less than what it costs to have the other side begin
/// sooner, or to copy once by the system.
constexpr std::size_t longest_piece = 64 << 10;

/// What keeping a message costs beside its bytes.
constexpr std::uint64_t least_cost = 256;

std::size_t room_of_ring(int processes)
{
    const std::size_t pairs =
        static_cast<std::size_t>(processes) * static_cast<std::size_t>(processes - 1);
    return std::clamp(std::bit_floor(all_rooms / pairs), least_room, largest_room);
}

}  // namespace

std::size_t NodeChannel::bytes(int processes)
{
    const auto all = static_cast<std::size_t>(processes);
    return all * (all * Ring::bytes(room_of_ring(processes)) + copies_each * sizeof(JointCopy));
}

NodeChannel::NodeChannel(SharedMemory memory, int processes, int self, bool is_crowded,
                         std::vector<pid_t> ids)
    : memory_(std::move(memory)),
      is_crowded_(is_crowded),
      peers_(static_cast<std::size_t>(processes)),
      ids_(std::move(ids)),
      self_(self)
{
    const std::size_t room = room_of_ring(processes);
    piece_ = static_cast<std::int64_t>(std::min(longest_piece, room / 4));
    asked_from_ = static_cast<std::int64_t>(room / 2);
    const auto ring = [&](int from, int to) {
        return static_cast<std::byte*>(memory_.start()) +
               static_cast<std::size_t>(from * processes + to) * Ring::bytes(room);
    };
    copies_ = ring(processes, 0);
    for (int rank = 0; rank < processes; ++rank) {
        peer(rank).out = Ring::Writer(ring(self, rank), room);
        peer(rank).in = Ring::Reader(ring(rank, self));
    }
}

/// MPI's own types stay what they are; a handle of the user's may be another type's next time.
const NodeChannel::Known& NodeChannel::known(MPI_Datatype type)
{
    for (const Known& one : known_)
        if (one.size > 0 && one.type == type) return one;
    const Known found{type, size_of(type), is_gap_free(type)};
    Known& place = is_named(type) ? known_[next_known_++ % known_.size()] : derived_;
    return place = found;
}

NodeMessage* NodeChannel::make(NodeMessage::Stage stage, int peer, std::uint16_t context, int tag)
{
    if (unused_.empty()) unused_.push_back(&of_node_.emplace_back());
    NodeMessage* const made = unused_.back();
    unused_.pop_back();
    made->stage = stage;
    made->peer = peer;
    made->context = context;
    made->tag = tag;
    return made;
}

void NodeChannel::release(NodeMessage* message)
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

void NodeChannel::want(int from, int more)
{
    const std::uint64_t bit = std::uint64_t{1} << from;
    const std::uint64_t others = wanting_.load(std::memory_order_relaxed) & ~bit;
    const bool wants = (peer(from).wants += more) > 0;
    wanting_.store(wants ? others | bit : others, std::memory_order_relaxed);
}

void NodeChannel::queue(NodeMessage& message)
{
    peer(message.peer).leaving.push_back(&message);
    leaving_.store(leaving_.load(std::memory_order_relaxed) | std::uint64_t{1} << message.peer,
                   std::memory_order_relaxed);
}

std::uint64_t NodeChannel::cost(std::uint64_t length) { return std::max(length, least_cost); }

bool NodeChannel::may_come_unasked(Peer& to)
{
    if (to.unasked - to.wanted < unasked_at_most) return true;
    to.wanted = to.out.wanted();
    return to.unasked - to.wanted < unasked_at_most;
}

/// As a whole, before anything that waits for room.
NodeChannel::AtOnce NodeChannel::leaves_at_once(Peer& to, const void* bytes, std::uint32_t length,
                                                std::uint16_t context, int tag)
{
    if (!to.leaving.empty() || !may_come_unasked(to) ||
        !to.out.put({tag, context, Ring::Kind::first, length, length, 0}, bytes))
        return AtOnce::never;
    to.unasked += cost(length);
    return AtOnce::done;
}

/// What is there already, as a whole, and what no earlier receive may want.
NodeChannel::AtOnce NodeChannel::comes_at_once(Peer& from, void* bytes, std::uint64_t length,
                                               std::uint16_t context, int tag)
{
    if (!from.posted.empty() || !from.unexpected.empty() || from.comes) return AtOnce::never;
    const Ring::Head* const head = from.in.front();
    if (!head) return AtOnce::not_yet;
    if (head->kind != Ring::Kind::first || head->tag != tag || head->context != context ||
        head->bytes != head->number || head->number != length)
        return AtOnce::never;
    if (head->bytes > 0) std::memcpy(bytes, from.in.bytes(), head->bytes);
    from.in.want(cost(head->number));
    from.in.pop();
    return AtOnce::done;
}

int NodeChannel::send(const Elements& elements, int to, std::uint16_t context, int tag,
                      NodeMessage** message)
{
    *message = nullptr;
    const Lock lock(*this);
    const Known type = known(elements.type);
    std::int64_t length = type.size * elements.count;
    if (length > longest) return too_long;
    Peer& its = peer(to);
    const bool packs = !type.is_gap_free || packs_all_.load(std::memory_order_relaxed);
    if (!packs && length <= piece_ &&
        leaves_at_once(its, elements.data, static_cast<std::uint32_t>(length), context, tag) ==
            AtOnce::done)
        return MPI_SUCCESS;
    NodeMessage& sent = *make(NodeMessage::Stage::queued, to, context, tag);
    sent.bytes = static_cast<std::byte*>(elements.data);
    if (packs) {
        std::int64_t room = 0;
        int code = packed_room(elements, room);
        sent.bytes = sent.own.take(static_cast<std::size_t>(room));
        if (code == MPI_SUCCESS) code = pack(elements, sent.bytes, room, length);
        if (code != MPI_SUCCESS) return release(&sent), code;
    }
    sent.length = length;
    if (length >= asked_from_ || !may_come_unasked(its))
        sent.stage = NodeMessage::Stage::asking;
    else
        its.unasked += cost(static_cast<std::uint64_t>(length));
    queue(sent);
    leave(to);
    if (sent.done)
        release(&sent);
    else
        *message = &sent;
    return MPI_SUCCESS;
}

int NodeChannel::receive(const Elements& elements, int from, std::uint16_t context, int tag,
                         NodeMessage** message)
{
    *message = nullptr;
    const Lock lock(*this);
    const Known type = known(elements.type);
    if (type.size * elements.count > longest) return too_long;
    Peer& its = peer(from);
    const bool packs = !type.is_gap_free || packs_all_.load(std::memory_order_relaxed);
    if (!packs &&
        comes_at_once(its, elements.data, static_cast<std::uint64_t>(type.size * elements.count),
                      context, tag) == AtOnce::done)
        return MPI_SUCCESS;
    NodeMessage& wanted = *make(NodeMessage::Stage::posted, from, context, tag);
    wanted.bytes = static_cast<std::byte*>(elements.data);
    wanted.room = wanted.expected = type.size * elements.count;
    if (packs) {
        if (const int code = packed_room(elements, wanted.room)) return release(&wanted), code;
        wanted.bytes = wanted.own.take(static_cast<std::size_t>(wanted.room));
        wanted.is_packed = true;
        wanted.elements = elements;
    }
    want(from, 1);
    const auto known = std::ranges::find_if(
        its.unexpected, [&](const NodeMessage* one) { return one->is_like(wanted); });
    if (known != its.unexpected.end()) {
        NodeMessage& unexpected = **known;
        its.unexpected.erase(known);
        adopt(wanted, unexpected);
    } else {
        its.posted.push_back(&wanted);
    }
    arrive(from);
    *message = &wanted;
    return MPI_SUCCESS;
}

bool NodeChannel::progress()
{
    if (!is_busy()) return false;
    const Lock lock(*this, false);
    if (!lock) return false;
    bool moved = false;
    for (std::uint64_t left = wanting_; left != 0; left &= left - 1)
        moved = arrive(std::countr_zero(left)) || moved;
    for (std::uint64_t left = leaving_; left != 0; left &= left - 1)
        moved = leave(std::countr_zero(left)) || moved;
    if (copying_ != 0) moved = copy() || moved;
    return moved;
}

int NodeChannel::finish(NodeMessage* message)
{
    // Who sends has called for another length, and that is the caller's mistake.
    const bool fits = message->expected == any_length || message->expected == message->length;
    int code = fits ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
    if (message->is_packed && fits)
        code = unpack(message->bytes, message->length, message->elements);
    const Lock lock(*this);
    release(message);
    return code;
}

}  // namespace laneway
