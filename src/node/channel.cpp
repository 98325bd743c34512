// SPDX-License-Identifier: BSD-3-Clause
#include "node/channel.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "data/datatype.hpp"

namespace laneway {
namespace {

constexpr std::size_t largest_room = 256 << 10;  ///< bytes of a ring: in the processor's cache
constexpr std::size_t least_room = 4 << 10;
constexpr std::size_t all_rooms = 8 << 20;
/// Bytes of the longest piece. Messages of one piece take nothing else than two copies. That is less than it costs to
/// have the other side begin sooner, or to copy once by the system.
constexpr std::size_t longest_piece = 64 << 10;

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
    return all * all * Ring::bytes(room_of_ring(processes)) + JointCopies::bytes(processes);
}

NodeChannel::NodeChannel(SharedMemory memory, int processes, int self, bool is_crowded,
                         std::vector<pid_t> ids)
    : memory_(std::move(memory)),
      is_crowded_(is_crowded),
      longest_(longest),
      peers_(static_cast<std::size_t>(processes))
{
    const std::size_t room = room_of_ring(processes);
    piece_ = static_cast<std::int64_t>(std::min(longest_piece, room / 4));
    asked_from_ = static_cast<std::int64_t>(room / 2);
    at_once_ = std::min(piece_, longest_);
    const auto ring = [&](int from, int to) {
        return static_cast<std::byte*>(memory_.start()) +
               static_cast<std::size_t>(from * processes + to) * Ring::bytes(room);
    };
    for (int rank = 0; rank < processes; ++rank) {
        peer(rank).out = Ring::Writer(ring(self, rank), room);
        peer(rank).in = Ring::Reader(ring(rank, self));
    }
    copies_.place(ring(processes, 0), self, std::move(ids));
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

int NodeChannel::send(const Elements& elements, int to, std::uint16_t context, int tag,
                      NodeMessage** message)
{
    *message = nullptr;
    const ChannelLock::Hold hold(lock_);
    const KnownType type = types_.of(elements.type);
    std::int64_t length = type.size * elements.count;
    if (length > longest_) return too_long;
    PeerQueues& its = peer(to);
    const bool packs = !type.is_gap_free || packs_all_.load(std::memory_order_relaxed);
    if (!packs && length <= piece_ &&
        its.leave_at_once(elements.data, static_cast<std::uint32_t>(length), context, tag) ==
            AtOnce::done)
        return MPI_SUCCESS;
    NodeMessage& sent = *messages_.make(NodeMessage::Stage::queued, to, context, tag);
    sent.bytes = static_cast<std::byte*>(elements.data);
    if (packs) {
        std::int64_t room = 0;
        int code = packed_room(elements, room);
        sent.bytes = sent.own.take(static_cast<std::size_t>(room));
        if (code == MPI_SUCCESS) code = pack(elements, sent.bytes, room, length);
        if (code != MPI_SUCCESS) return messages_.release(&sent), code;
    }
    sent.length = length;
    if (length >= asked_from_ || !its.may_leave_unasked())
        sent.stage = NodeMessage::Stage::asking;
    else
        its.leave_unasked(static_cast<std::uint64_t>(length));
    queue(sent);
    leave(to);
    if (sent.done)
        messages_.release(&sent);
    else
        *message = &sent;
    return MPI_SUCCESS;
}

int NodeChannel::receive(const Elements& elements, int from, std::uint16_t context, int tag,
                         NodeMessage** message)
{
    *message = nullptr;
    const ChannelLock::Hold hold(lock_);
    const KnownType type = types_.of(elements.type);
    if (type.size * elements.count > longest_) return too_long;
    PeerQueues& its = peer(from);
    const bool packs = !type.is_gap_free || packs_all_.load(std::memory_order_relaxed);
    if (!packs &&
        its.come_at_once(elements.data, static_cast<std::uint64_t>(type.size * elements.count),
                         context, tag) == AtOnce::done)
        return MPI_SUCCESS;
    NodeMessage& wanted = *messages_.make(NodeMessage::Stage::posted, from, context, tag);
    wanted.bytes = static_cast<std::byte*>(elements.data);
    wanted.room = wanted.expected = type.size * elements.count;
    if (packs) {
        if (const int code = packed_room(elements, wanted.room))
            return messages_.release(&wanted), code;
        wanted.bytes = wanted.own.take(static_cast<std::size_t>(wanted.room));
        wanted.is_packed = true;
        wanted.elements = elements;
    }
    want(from, 1);
    if (NodeMessage* const unexpected = its.take_unexpected(wanted))
        adopt(wanted, *unexpected);
    else
        its.posted.push_back(&wanted);
    arrive(from);
    *message = &wanted;
    return MPI_SUCCESS;
}

bool NodeChannel::progress()
{
    if (!is_busy()) return false;
    const ChannelLock::Hold hold(lock_, false);
    if (!hold) return false;
    bool moved = false;
    for (std::uint64_t left = wanting_; left != 0; left &= left - 1)
        moved = arrive(std::countr_zero(left)) || moved;
    for (std::uint64_t left = leaving_; left != 0; left &= left - 1)
        moved = leave(std::countr_zero(left)) || moved;
    if (copies_.are_under_way())
        moved = copies_.copy([&](NodeMessage& one) { conclude(one); }) || moved;
    return moved;
}

int NodeChannel::finish(NodeMessage* message)
{
    // Where it does not fit, the sender has called for another length, and that is the caller's mistake.
    const bool fits = message->expected == any_length || message->expected == message->length;
    int code = fits ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
    if (message->is_packed && fits)
        code = unpack(message->bytes, message->length, message->elements);
    const ChannelLock::Hold hold(lock_);
    messages_.release(message);
    return code;
}

}  // namespace laneway
