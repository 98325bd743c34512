// SPDX-License-Identifier: BSD-3-Clause
// What a node channel does with records: those that leave, and those that have come.
#include <algorithm>
#include <cstring>

#include "mpi/node_channel.hpp"

namespace laneway {
namespace {

using Stage = Transfer::Stage;

std::uint64_t name_of(const Transfer& transfer)
{
    return reinterpret_cast<std::uintptr_t>(&transfer);
}

Transfer& named(std::uint64_t name) { return *reinterpret_cast<Transfer*>(name); }

}  // namespace

void NodeChannel::complete(Transfer& transfer)
{
    if (transfer.is_given_up)
        release(&transfer);
    else
        transfer.done.store(true, std::memory_order_release);
}

/// As much as there is room for; true: something has left.
bool NodeChannel::leave(int to)
{
    Peer& its = peer(to);
    std::size_t left = 0;
    bool moved = false;
    while (left < its.leaving.size()) {
        Transfer& first = *its.leaving[left];
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

/// True: all of it has left.
bool NodeChannel::put(Peer& to, Transfer& transfer)
{
    switch (transfer.stage) {
    case Stage::asking:
        if (!to.out.put({transfer.tag, transfer.context, Ring::Kind::ask, 0,
                         static_cast<std::uint64_t>(transfer.length), name_of(transfer)},
                        nullptr))
            return false;
        transfer.stage = Stage::waiting;
        want(transfer.peer, 1);
        return true;
    case Stage::answers:
        if (!to.out.put({0, 0, Ring::Kind::grant, 0, transfer.other, name_of(transfer)}, nullptr))
            return false;
        transfer.stage = Stage::comes;
        return true;
    default:
        if (!put_pieces(to, transfer)) return false;
        complete(transfer);
        return true;
    }
}

bool NodeChannel::put_pieces(Peer& to, Transfer& transfer)
{
    const Ring::Kind first =
        transfer.stage == Stage::granted ? Ring::Kind::begin : Ring::Kind::first;
    do {
        const std::int64_t bytes = std::min(piece_, transfer.length - transfer.moved);
        if (!to.out.put(
                {transfer.tag, transfer.context, transfer.moved == 0 ? first : Ring::Kind::more,
                 static_cast<std::uint32_t>(bytes), static_cast<std::uint64_t>(transfer.length),
                 transfer.other},
                transfer.bytes + transfer.moved))
            return false;
        transfer.moved += bytes;
    } while (transfer.moved < transfer.length);
    return true;
}

/// What has come, as long as something is wanted; true: something was there.
bool NodeChannel::arrive(int from)
{
    Peer& its = peer(from);
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
        case Ring::Kind::grant: {
            Transfer& granted = named(head->number);
            granted.other = head->other;
            granted.stage = Stage::granted;
            want(from, -1);
            queue(granted);
            break;
        }
        }
        its.in.pop();
    }
    return moved;
}

/// A message that came without being asked for: to the receive that wants it, or to memory of ours.
void NodeChannel::begin(Peer& from, int rank, const Ring::Head& head)
{
    const auto length = static_cast<std::int64_t>(head.number);
    const auto wants = std::ranges::find_if(from.posted, [&](const Transfer* one) {
        return one->tag == head.tag && one->context == head.context;
    });
    if (wants != from.posted.end()) {
        from.comes = *wants;
        from.posted.erase(wants);
    } else {
        from.comes = make(Stage::comes, rank, head.context, head.tag);
        from.comes->own =
            std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(length));
        from.comes->bytes = from.comes->own.get();
        from.comes->room = length;
        from.unexpected.push_back(from.comes);
    }
    from.comes->stage = Stage::comes;
    from.comes->length = length;
}

void NodeChannel::ask(Peer& from, int rank, const Ring::Head& head)
{
    const auto wants = std::ranges::find_if(from.posted, [&](const Transfer* one) {
        return one->tag == head.tag && one->context == head.context;
    });
    Transfer& asked =
        wants != from.posted.end() ? **wants : *make(Stage::asked, rank, head.context, head.tag);
    asked.length = static_cast<std::int64_t>(head.number);
    asked.other = head.other;
    if (wants == from.posted.end()) return from.unexpected.push_back(&asked);
    from.posted.erase(wants);
    grant(asked);
}

void NodeChannel::grant(Transfer& transfer)
{
    transfer.stage = Stage::answers;
    queue(transfer);
    leave(transfer.peer);
}

/// The bytes of a record, for the message that comes.
void NodeChannel::take(Peer& from, const Ring::Head& head)
{
    Transfer& into = *from.comes;
    const std::int64_t fits = std::clamp<std::int64_t>(into.room - into.moved, 0, head.bytes);
    if (fits > 0)
        std::memcpy(into.bytes + into.moved, from.in.bytes(), static_cast<std::size_t>(fits));
    into.moved += head.bytes;
    if (into.moved < into.length) return;
    from.comes = nullptr;
    const bool is_unexpected = std::ranges::find(from.unexpected, &into) != from.unexpected.end();
    if (is_unexpected) return;
    if (into.length > into.room) into.error = MPI_ERR_TRUNCATE;
    want(into.peer, -1);
    complete(into);
}

/// What is wanted has come before, or has begun to, or is asked about.
void NodeChannel::adopt(Transfer& posted, Transfer& unexpected)
{
    posted.length = unexpected.length;
    if (unexpected.stage == Stage::asked) {
        posted.other = unexpected.other;
        release(&unexpected);
        return grant(posted);
    }
    posted.stage = Stage::comes;
    posted.moved = unexpected.moved;
    const std::int64_t fits = std::min(posted.room, posted.moved);
    if (fits > 0) std::memcpy(posted.bytes, unexpected.bytes, static_cast<std::size_t>(fits));
    Peer& its = peer(posted.peer);
    if (its.comes == &unexpected) its.comes = &posted;
    const bool has_come = its.comes != &posted;
    release(&unexpected);
    if (!has_come) return;
    if (posted.length > posted.room) posted.error = MPI_ERR_TRUNCATE;
    want(posted.peer, -1);
    complete(posted);
}

}  // namespace laneway
