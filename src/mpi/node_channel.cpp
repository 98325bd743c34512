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
    return all * all * Ring::bytes(room_of_ring(processes));
}

NodeChannel::NodeChannel(SharedMemory memory, int processes, int self, bool is_crowded)
    : memory_(std::move(memory)),
      is_crowded_(is_crowded),
      peers_(static_cast<std::size_t>(processes))
{
    const std::size_t room = room_of_ring(processes);
    piece_ = static_cast<std::int64_t>(std::min(longest_piece, room / 4));
    asked_from_ = static_cast<std::int64_t>(room / 2);
    const auto ring = [&](int from, int to) {
        return static_cast<std::byte*>(memory_.start()) +
               static_cast<std::size_t>(from * processes + to) * Ring::bytes(room);
    };
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

Transfer* NodeChannel::make(Transfer::Stage stage, int peer, std::uint16_t context, int tag)
{
    if (unused_.empty()) unused_.push_back(&transfers_.emplace_back());
    Transfer* const made = unused_.back();
    unused_.pop_back();
    made->stage = stage;
    made->peer = peer;
    made->context = context;
    made->tag = tag;
    return made;
}

void NodeChannel::release(Transfer* transfer)
{
    transfer->done = false;
    transfer->is_given_up = transfer->is_unpacked_at_end = false;
    transfer->error = MPI_SUCCESS;
    transfer->moved = 0;
    transfer->own.reset();
    unused_.push_back(transfer);
}

void NodeChannel::want(int from, int more)
{
    const std::uint64_t bit = std::uint64_t{1} << from;
    const std::uint64_t others = wanting_.load(std::memory_order_relaxed) & ~bit;
    const bool wants = (peer(from).wants += more) > 0;
    wanting_.store(wants ? others | bit : others, std::memory_order_relaxed);
}

void NodeChannel::queue(Transfer& transfer)
{
    peer(transfer.peer).leaving.push_back(&transfer);
    leaving_.store(leaving_.load(std::memory_order_relaxed) | std::uint64_t{1} << transfer.peer,
                   std::memory_order_relaxed);
}

int NodeChannel::send(const Elements& elements, int to, std::uint16_t context, int tag,
                      Transfer** transfer)
{
    *transfer = nullptr;
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
    Transfer& sent = *make(Transfer::Stage::queued, to, context, tag);
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
    if (length >= asked_from_) sent.stage = Transfer::Stage::asking;
    queue(sent);
    leave(to);
    if (sent.done)
        release(&sent);
    else
        *transfer = &sent;
    return MPI_SUCCESS;
}

int NodeChannel::receive(const Elements& elements, int from, std::uint16_t context, int tag,
                         Transfer** transfer)
{
    *transfer = nullptr;
    const Lock lock(*this);
    const Known type = known(elements.type);
    Peer& its = peer(from);
    if (type.is_gap_free && its.posted.empty() && its.unexpected.empty() && !its.comes) {
        // What is there already, as a whole.
        const Ring::Head* const head = its.in.front();
        if (head && head->kind == Ring::Kind::first && head->tag == tag &&
            head->context == context && head->bytes == head->number &&
            head->number <= static_cast<std::uint64_t>(type.size * elements.count)) {
            std::memcpy(elements.data, its.in.bytes(), head->bytes);
            its.in.pop();
            return MPI_SUCCESS;
        }
    }
    Transfer& wanted = *make(Transfer::Stage::posted, from, context, tag);
    wanted.bytes = static_cast<std::byte*>(elements.data);
    wanted.room = type.size * elements.count;
    if (!type.is_gap_free) {
        if (const int code = packed_room(elements, wanted.room)) return release(&wanted), code;
        wanted.own =
            std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(wanted.room));
        wanted.bytes = wanted.own.get();
        wanted.elements = elements;
        wanted.is_unpacked_at_end = true;
    }
    want(from, 1);
    const auto known = std::ranges::find_if(
        its.unexpected, [&](const Transfer* one) { return one->is_like(wanted); });
    if (known != its.unexpected.end()) {
        Transfer& unexpected = **known;
        its.unexpected.erase(known);
        adopt(wanted, unexpected);
    } else {
        its.posted.push_back(&wanted);
    }
    arrive(from);
    *transfer = &wanted;
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
    locked_.clear(std::memory_order_release);
    return moved;
}

int NodeChannel::finish(Transfer* transfer)
{
    int code = transfer->error;
    if (transfer->is_unpacked_at_end && code == MPI_SUCCESS)
        code = unpack(transfer->bytes, transfer->length, transfer->elements);
    const Lock lock(*this);
    release(transfer);
    return code;
}

void NodeChannel::give_up(Transfer* transfer)
{
    const Lock lock(*this);
    if (transfer->done) return release(transfer);
    transfer->is_given_up = true;
    Peer& its = peer(transfer->peer);
    switch (transfer->stage) {
    case Transfer::Stage::posted:
        std::erase(its.posted, transfer);
        want(transfer->peer, -1);
        return release(transfer);
    case Transfer::Stage::answers:
    case Transfer::Stage::asked:
    case Transfer::Stage::comes:
        transfer->room = 0;
        return;
    case Transfer::Stage::queued:
    case Transfer::Stage::asking:
    case Transfer::Stage::waiting:
    case Transfer::Stage::granted:
        if (transfer->own) return;
        // Its receiver waits for it all the same.
        const auto length = static_cast<std::size_t>(transfer->length);
        transfer->own = std::make_unique_for_overwrite<std::byte[]>(length);
        std::memcpy(transfer->own.get(), transfer->bytes, length);
        transfer->bytes = transfer->own.get();
    }
}

}  // namespace laneway
