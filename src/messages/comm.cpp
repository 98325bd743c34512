// SPDX-License-Identifier: BSD-3-Clause
#include "messages/comm.hpp"

#include <algorithm>
#include <atomic>

#include "library/error.hpp"
#include "library/identity.hpp"
#include "library/real.hpp"
#include "library/returning.hpp"
#include "messages/flow.hpp"
#include "node/channel.hpp"

namespace laneway {
namespace {

std::atomic<int> communicators{0};
std::atomic<int> others_being_made{0};
std::atomic<bool> abandoned{false};

}  // namespace

/// The means by which messages of a communicator and all its parts travel.
struct Comm::Transport {
    Transport(MPI_Comm its_comm, int size) : comm(its_comm), flow(size) {}

    /// The number of a rank in the channel; negative: messages to and from it go by the library.
    int member(int rank) const
    {
        if (!members) return -1;
        const auto place = std::ranges::lower_bound(*members, rank);
        if (place == members->end() || *place != rank || rank == self) return -1;
        return static_cast<int>(place - members->begin());
    }

    MPI_Comm comm;
    Flow flow;
    std::shared_ptr<NodeChannel> channel;
    const std::vector<int>* members = nullptr;  ///< null: none are of the channel
    int self = -1;
    int turns = 1, turn = 0;
    int tags = 0;  ///< tags of a turn
};

Comm Comm::split(MPI_Comm parent, int color, int key)
{
    Comm child;
    check(PMPI_Comm_split(parent, color, key, &child.handle_));
    if (child.handle_ == MPI_COMM_NULL) return child;
    ++communicators;
    check(return_errors(child.handle_));
    check(PMPI_Comm_rank(child.handle_, &child.rank_));
    check(PMPI_Comm_size(child.handle_, &child.size_));
    child.transport_ = std::make_shared<Transport>(child.handle_, child.size_);
    return child;
}

Comm Comm::part(int context, int rank, int size, const int* ranks) const
{
    Comm part = recorded(context, rank, size, ranks);
    part.transport_ = transport_;
    part.contexts_ = contexts_;
    part.divides_operators_ = divides_operators_;
    if (size == size_ && std::is_sorted(ranks, ranks + size)) part.handle_ = handle_;
    return part;
}

Comm Comm::recorded(int context, int rank, int size, const int* ranks)
{
    Comm comm;
    comm.rank_ = rank;
    comm.size_ = size;
    comm.context_ = context;
    comm.ranks_ = ranks;
    return comm;
}

Comm::~Comm()
{
    if (handle_ == MPI_COMM_NULL || borrows_handle()) return;
    --communicators;
    // A late process may not have received yet the messages under way: their memory stays.
    if (transport_ && transport_->comm == handle_) transport_->flow.leave();
    if (abandoned) return;
    real::Comm_free(&handle_);
}

bool Comm::borrows_handle() const { return ranks_ && handle_ == transport_->comm; }

void Comm::attach(std::shared_ptr<NodeChannel> channel, const std::vector<int>* members)
{
    if (!transport_) return;
    transport_->channel = std::move(channel);
    transport_->members = members;
    transport_->self = world_rank(rank_);
}

NodeChannel* Comm::channel() const { return transport_ ? transport_->channel.get() : nullptr; }

int Comm::member(int rank) const { return transport_->member(world_rank(rank)); }

MPI_Comm Comm::travels_on() const { return transport_ ? transport_->comm : MPI_COMM_NULL; }

int Comm::send(const void* data, int count, MPI_Datatype type, int to, int tag,
               MPI_Request* request, NodeMessage** near) const
{
    *request = MPI_REQUEST_NULL;
    *near = nullptr;
    const int there = world_rank(to);
    if (const int member = transport_->member(there); member >= 0) {
        const int code =
            transport_->channel->send({const_cast<void*>(data), count, type, transport_->comm},
                                      member, static_cast<std::uint16_t>(context_), tag, near);
        if (code != NodeChannel::too_long) return code;
    }
    return transport_->flow.send(data, count, type, there, tag_of(tag), transport_->comm, request);
}

int Comm::receive(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Request* request,
                  NodeMessage** near) const
{
    *request = MPI_REQUEST_NULL;
    *near = nullptr;
    const int there = world_rank(from);
    if (const int member = transport_->member(there); member >= 0) {
        const int code =
            transport_->channel->receive({data, count, type, transport_->comm}, member,
                                         static_cast<std::uint16_t>(context_), tag, near);
        if (code != NodeChannel::too_long) return code;
    }
    return PMPI_Irecv(data, count, type, there, tag_of(tag), transport_->comm, request);
}

void Comm::take_turns(int tags) const
{
    constexpr int most = 4096, part = 8;
    transport_->tags = tags;
    transport_->turns = std::clamp(greatest_tag() / part / tags, 1, most);
}

void Comm::next_turn() const
{
    if (++transport_->turn >= transport_->turns) transport_->turn = 0;
}

int Comm::tag_in_turn(int tag) const { return tag + transport_->turn * transport_->tags; }

int Comm::tags_in_turns(int tags) const { return transport_ ? tags * transport_->turns : tags; }

int Comm::greatest_tag() const
{
    void* value = nullptr;
    int found = 0;
    check(PMPI_Comm_get_attr(travels_on(), MPI_TAG_UB, static_cast<void*>(&value), &found));
    // Open MPI has this attribute on MPI_COMM_WORLD alone, where it holds for all communicators.
    if (!found && world_is_there())
        check(PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&value), &found));
    constexpr int least_of_all_libraries = 32767;
    const int greatest = found ? *static_cast<int*>(value) : least_of_all_libraries;
    return (greatest - contexts_ + 1) / contexts_;
}

int Comm::alive() { return communicators; }

void Comm::expect_others(int more) { others_being_made += more; }

bool Comm::may_be_made() { return others_being_made == 0; }

void Comm::abandon(bool yes) { abandoned = yes; }

bool Comm::is_abandoned() { return abandoned; }

}  // namespace laneway
