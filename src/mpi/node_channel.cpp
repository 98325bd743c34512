// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/node_channel.hpp"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "mpi/datatype.hpp"

namespace laneway {
namespace {

constexpr std::size_t largest_room = 128 << 10;  ///< of a ring: in the processor's cache
constexpr std::size_t least_room = 4 << 10;
constexpr std::size_t all_rooms = 8 << 20;
/// A piece: short enough that the other side begins soon, long enough that a record's own cost is small beside it.
constexpr std::size_t longest_piece = 8 << 10;

std::size_t room_of_ring(int processes)
{
    const auto pairs = static_cast<std::size_t>(processes * (processes - 1));
    return std::clamp(std::bit_floor(all_rooms / pairs), least_room, largest_room);
}

}  // namespace

class NodeChannel::Lock {
public:
    explicit Lock(NodeChannel& channel) : flag_(channel.locked_)
    {
        while (flag_.test_and_set(std::memory_order_acquire)) sched_yield();
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() { flag_.clear(std::memory_order_release); }

private:
    std::atomic_flag& flag_;
};

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
    copies_ = static_cast<std::byte*>(ring(processes, 0));
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
    message->done = false;
    message->is_given_up = false;
    message->type.reset();
    message->error = MPI_SUCCESS;
    message->moved = 0;
    message->copy = nullptr;
    message->is_received = false;
    message->own.reset();
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

int NodeChannel::send(const Elements& elements, int to, std::uint16_t context, int tag,
                      NodeMessage** message)
{
    *message = nullptr;
    const Lock lock(*this);
    const Known type = known(elements.type);
    std::int64_t length = type.size * elements.count;
    Peer& its = peer(to);
    if (type.is_gap_free && length <= piece_ && its.leaving.empty()) {
        const Ring::Head head{tag,
                              context,
                              Ring::Kind::first,
                              static_cast<std::uint32_t>(length),
                              static_cast<std::uint64_t>(length),
                              0};
        if (its.out.put(head, elements.data)) return MPI_SUCCESS;
    }
    NodeMessage& sent = *make(NodeMessage::Stage::queued, to, context, tag);
    sent.bytes = static_cast<std::byte*>(elements.data);
    if (!type.is_gap_free) {
        std::int64_t room = 0;
        int code = packed_room(elements, room);
        sent.own = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(room));
        sent.bytes = sent.own.get();
        if (code == MPI_SUCCESS) code = pack(elements, sent.bytes, length);
        if (code != MPI_SUCCESS) return release(&sent), code;
    }
    sent.length = length;
    if (length >= asked_from_) sent.stage = NodeMessage::Stage::asking;
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
    Peer& its = peer(from);
    if (type.is_gap_free && its.posted.empty() && its.unexpected.empty() && !its.comes) {
        // What is there already, as a whole.
        const Ring::Head* const head = its.in.front();
        if (head && head->kind == Ring::Kind::first && head->tag == tag &&
            head->context == context && head->bytes == head->number &&
            head->number <= static_cast<std::uint64_t>(type.size * elements.count)) {
            if (head->bytes > 0) std::memcpy(elements.data, its.in.bytes(), head->bytes);
            its.in.pop();
            return MPI_SUCCESS;
        }
    }
    NodeMessage& wanted = *make(NodeMessage::Stage::posted, from, context, tag);
    wanted.bytes = static_cast<std::byte*>(elements.data);
    wanted.room = type.size * elements.count;
    if (!type.is_gap_free) {
        if (const int code = packed_room(elements, wanted.room)) return release(&wanted), code;
        wanted.own =
            std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(wanted.room));
        wanted.bytes = wanted.own.get();
        // Not by MPI_Type_dup, which runs callbacks of the user's.
        wanted.type = Datatype::contiguous(1, elements.type);
        wanted.elements = elements;
        wanted.elements.type = *wanted.type;
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
    if (!is_busy() || locked_.test_and_set(std::memory_order_acquire)) return false;
    bool moved = false;
    for (std::uint64_t left = wanting_; left != 0; left &= left - 1)
        moved = arrive(std::countr_zero(left)) || moved;
    for (std::uint64_t left = leaving_; left != 0; left &= left - 1)
        moved = leave(std::countr_zero(left)) || moved;
    if (copying_ != 0) moved = copy() || moved;
    locked_.clear(std::memory_order_release);
    return moved;
}

int NodeChannel::finish(NodeMessage* message)
{
    int code = message->error;
    if (message->type && code == MPI_SUCCESS)
        code = unpack(message->bytes, message->length, message->elements);
    const Lock lock(*this);
    release(message);
    return code;
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
        message->copy->give_up(message->length);
        std::erase(joint_, message);
        copying_ = joint_.size();
        message->copy->end();
        return release(message);
    case NodeMessage::Stage::queued:
    case NodeMessage::Stage::asking:
    case NodeMessage::Stage::waiting:
    case NodeMessage::Stage::granted:
        if (message->own) return;
        // Its receiver waits for it all the same.
        const auto length = static_cast<std::size_t>(message->length);
        message->own = std::make_unique_for_overwrite<std::byte[]>(length);
        std::memcpy(message->own.get(), message->bytes, length);
        message->bytes = message->own.get();
    }
}

}  // namespace laneway
