// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <utility>
#include <vector>

#include "library/operators.hpp"

namespace laneway {

class NodeChannel;
struct NodeMessage;

/// A private communicator of ours: errors return, and it is freed with its owner. Nothing of ours ever
/// travels on a communicator of the user's. It is made by splitting, which runs no callbacks of the user's, as
/// duplicating would. Or it is a part of another one, on which its messages travel with tags of their own.
/// Tag t of context c, of C contexts, is tag C t + c there.
class Comm {
public:
    /// The communicator of the processes that gave the same `color` (MPI_UNDEFINED: none), ordered by
    /// `key`. Collective over `parent`, whose errors must return. Throws Error where the library has no
    /// communicator left.
    static Comm split(MPI_Comm parent, int color, int key);

    /// A communicator without MPI, for recording. Its rank i is rank `ranks[i]` of the world (null: rank i); the
    /// array must outlive it. Messages on communicators of another `context` never match.
    static Comm recorded(int context, int rank, int size, const int* ranks);

    /// This communicator, for the messages of `contexts` contexts.
    Comm shared_by(int contexts) &&
    {
        contexts_ = contexts;
        return std::move(*this);
    }

    /// Says whether operators of the user's may be called with parts of messages here. Unless this is called, they may
    /// not.
    Comm dividing_operators(bool may) &&
    {
        divides_operators_ = may;
        return std::move(*this);
    }
    bool divides_operators() const { return divides_operators_; }
    /// Whether reductions by an operator bring it whole messages: it is the user's, and may look at all elements at
    /// once.
    bool keeps_whole(MPI_Op op) const { return !divides_operators_ && !is_predefined(op); }

    /// A part of this communicator, with a context of its own. Its rank i is rank `ranks[i]` of this one; the array
    /// must outlive it. Two parts of one context have no pair of processes in common. Local. It is for messages; the
    /// library's collectives need a communicator of its own: adopt(). But a part of all processes, in their order,
    /// has them on this one, which must outlive it.
    Comm part(int context, int rank, int size, const int* ranks) const;

    /// Takes a communicator of the same processes for the library's collectives, for which it has none yet.
    void adopt(Comm&& whole) { std::swap(handle_, whole.handle_); }

    Comm() = default;
    Comm(Comm&& other) noexcept
        : handle_(std::exchange(other.handle_, MPI_COMM_NULL)),
          rank_(other.rank_),
          size_(other.size_),
          context_(other.context_),
          contexts_(other.contexts_),
          ranks_(other.ranks_),
          within_node_(other.within_node_),
          divides_operators_(other.divides_operators_),
          transport_(std::move(other.transport_))
    {
    }
    Comm& operator=(Comm&& other) noexcept
    {
        std::swap(handle_, other.handle_);
        std::swap(rank_, other.rank_);
        std::swap(size_, other.size_);
        std::swap(context_, other.context_);
        std::swap(contexts_, other.contexts_);
        std::swap(ranks_, other.ranks_);
        std::swap(within_node_, other.within_node_);
        std::swap(divides_operators_, other.divides_operators_);
        std::swap(transport_, other.transport_);
        return *this;
    }
    ~Comm();

    /// This communicator, of processes of one node.
    Comm as_node() &&
    {
        become_node();
        return std::move(*this);
    }
    void become_node() { within_node_ = true; }
    /// Whether no message on it travels on a lane.
    bool within_node() const { return within_node_; }

    /// From now on, on all processes and on all parts, messages between `members` of a node go through the channel;
    /// null: none do. Members are in ascending order; the i-th of them is process i of the channel. Waits go on with
    /// the channel. The members must outlive it.
    void attach(std::shared_ptr<NodeChannel> channel, const std::vector<int>* members);
    /// The channel; null: there is none.
    NodeChannel* channel() const;
    /// The number of a rank in the channel; negative: messages to and from it go by the library.
    int member(int rank) const;
    /// Whether messages with that rank go by the channel of a node; where there is no MPI, as if all nodes had one.
    bool goes_by_channel(int rank) const { return transport_ ? member(rank) >= 0 : within_node_; }

    /// The handle for the library's collectives; null: this is a part that has none.
    MPI_Comm handle() const { return handle_; }
    int rank() const { return rank_; }
    int size() const { return size_; }

    /// Sends as MPI_Isend, at times synchronously: a process that is late is not flooded (see Flow). The message is
    /// under way by the library's request or the channel's message; both null: `data` may be used again. Returns an MPI
    /// error code.
    int send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Request* request,
             NodeMessage** near) const;

    /// Receives as MPI_Irecv; results are as for send().
    int receive(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Request* request,
                NodeMessage** near) const;

    /// @name Turns
    /// Texts that are carried out at once have tags below `tags`. Calls that follow each other have others, for a
    /// number of calls as large as the library's tags allow. So messages that a wrong call has left behind never pass
    /// for those of the next calls. Turns are those of all parts; all processes take them alike.
    /// @{
    void take_turns(int tags) const;
    void next_turn() const;
    int tag_in_turn(int tag) const;
    /// The tags that algorithms have in all turns together.
    int tags_in_turns(int tags) const;
    /// @}

    /// @name Where its messages travel, with what ranks and tags
    /// Without MPI, messages travel on the world, told apart by the context.
    /// @{
    MPI_Comm travels_on() const;
    int context() const { return context_; }
    int world_rank(int rank) const { return ranks_ ? ranks_[rank] : rank; }
    int tag_of(int tag) const { return contexts_ * tag + context_; }
    /// The greatest tag that messages on it may have. Throws Error.
    int greatest_tag() const;
    /// @}

    /// Private communicators that this process holds at present. They are at the program's expense: some libraries
    /// end at 2048 altogether. A process is to hold no more than a part of that (Quirks::most_communicators).
    static int alive();

    /// The program makes so many more communicators without waiting: beside them some libraries make no
    /// other (Quirks::makes_one_communicator_at_a_time).
    static void expect_others(int more);
    /// Whether this process may make a communicator now.
    static bool may_be_made();

    /// From now on communicators are left to the library's own finalisation instead of being freed.
    /// Freeing is collective, and at the end ranks may hold different leftovers.
    static void abandon(bool yes);
    static bool is_abandoned();

private:
    struct Transport;

    /// Whether its handle is that of the communicator that it is a part of.
    bool borrows_handle() const;

    MPI_Comm handle_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 0;
    int context_ = 0;
    int contexts_ = 1;
    const int* ranks_ = nullptr;
    bool within_node_ = false;
    bool divides_operators_ = false;
    std::shared_ptr<Transport>
        transport_;  ///< its own, or that of the communicator it is a part of; null without MPI
};

}  // namespace laneway
