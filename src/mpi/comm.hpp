// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace laneway {

class Flow;
class NodeChannel;
struct NodeMessage;

/// A private communicator of ours: errors return, freed with its owner. Nothing of ours ever travels
/// on a communicator of the user's. Made by splitting, which runs no callbacks of the user's, as
/// duplicating would.
class Comm {
public:
    /// The communicator of the processes that gave the same `color` (MPI_UNDEFINED: none), ordered by
    /// `key`. Collective over `parent`, whose errors must return. Throws Error where the library has no
    /// communicator left.
    static Comm split(MPI_Comm parent, int color, int key);

    /// One without MPI, for recording: rank i of it is rank `ranks[i]` of the world (null: rank i), an array
    /// that outlives it. Messages on communicators of another `context` never match.
    static Comm recorded(int context, int rank, int size, const int* ranks);

    Comm() = default;
    Comm(Comm&& other) noexcept
        : handle_(std::exchange(other.handle_, MPI_COMM_NULL)),
          rank_(other.rank_),
          size_(other.size_),
          context_(other.context_),
          ranks_(other.ranks_),
          within_node_(other.within_node_),
          flow_(std::move(other.flow_)),
          near_(std::move(other.near_))
    {
    }
    Comm& operator=(Comm&& other) noexcept
    {
        std::swap(handle_, other.handle_);
        std::swap(rank_, other.rank_);
        std::swap(size_, other.size_);
        std::swap(context_, other.context_);
        std::swap(ranks_, other.ranks_);
        std::swap(within_node_, other.within_node_);
        std::swap(flow_, other.flow_);
        std::swap(near_, other.near_);
        return *this;
    }
    ~Comm();

    /// The same, of processes of one node.
    Comm as_node() &&
    {
        within_node_ = true;
        return std::move(*this);
    }
    /// No message on it travels on a lane.
    bool within_node() const { return within_node_; }

    /// Processes of it that messages go to through a node channel.
    struct Near {
        std::shared_ptr<NodeChannel> channel;
        std::uint16_t context;  ///< of the communicator, in the channel
        std::vector<int>
            members;  ///< by rank, the process's number in the channel; negative: not by the channel
    };
    /// From now on, on all its processes. Without members: what waits here goes on with the channel as well.
    void attach(Near near) { near_ = std::make_shared<const Near>(std::move(near)); }
    /// Null: there is none.
    NodeChannel* channel() const { return near_ ? near_->channel.get() : nullptr; }

    MPI_Comm handle() const { return handle_; }
    int rank() const { return rank_; }
    int size() const { return size_; }

    /// As MPI_Isend, at times synchronous: a process that is late is not flooded (see Flow). What it is under way by is
    /// the library's request or the channel's message; both null: `data` may be used again. Returns an MPI error code.
    int send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Request* request,
             NodeMessage** near) const;

    /// As MPI_Irecv; the same.
    int receive(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Request* request,
                NodeMessage** near) const;

    /// @name Of one without MPI
    /// @{
    int context() const { return context_; }
    int world_rank(int rank) const { return ranks_ ? ranks_[rank] : rank; }
    /// @}

    /// Private communicators that this process holds at present. They are scarce: some libraries
    /// end at 2048 communicators altogether.
    static int alive();

    /// From now on communicators are left to the library's own finalisation instead of being freed:
    /// freeing is collective, and at the end ranks may hold different leftovers.
    static void abandon(bool yes);
    static bool is_abandoned();

private:
    MPI_Comm handle_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 0;
    int context_ = 0;
    const int* ranks_ = nullptr;
    bool within_node_ = false;
    std::shared_ptr<Flow> flow_;  ///< of its own; null without MPI
    std::shared_ptr<const Near> near_;
};

}  // namespace laneway
