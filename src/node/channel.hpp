// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "node/joint_copies.hpp"
#include "node/known_types.hpp"
#include "node/lock.hpp"
#include "node/message.hpp"
#include "node/message_pool.hpp"
#include "node/peer_queues.hpp"
#include "node/ring.hpp"
#include "node/shared_memory.hpp"

namespace laneway {

/// Messages between the processes of a node through memory that they share: one copy into it and one out of it. A ring
/// (ring.hpp) from each process to each other one; short messages leave at once, long ones when their receiver has a
/// place for them: then both sides copy from the one's memory to the other's (joint_copy.hpp), once, where the system
/// permits; elsewhere they come in pieces, so that one side copies in while the other copies out.
///
/// It does what MPI promises of messages: those of one tag and context arrive in order, any of them may be received
/// first, and a send that is not received holds up no other one that is: a process reads a ring as far as something in
/// it may be for a receive of its own, and keeps what is for later ones. What it keeps of one other process has a bound:
/// beyond that even short messages are asked about first, and what waits for them waits for their receiver. So who is
/// late has that, and what others send before they wait.
///
/// Several threads may use it, unless it is told otherwise. Nothing in it waits for another
/// process, but for the block that it copies, where a joint copy is given up.
class NodeChannel {
public:
    /// Processes at most: rings are one a pair.
    static constexpr int most = 64;
    static constexpr std::uint64_t unasked_at_most = PeerQueues::unasked_at_most;

    /// Bytes of memory that a channel for that many processes takes.
    static std::size_t bytes(int processes);

    /// For process `self` of `processes`, which all have that memory. `is_crowded`: they have fewer processors.
    /// `ids` of all of them, where each may enter each other one's memory, else none.
    NodeChannel(SharedMemory memory, int processes, int self, bool is_crowded,
                std::vector<pid_t> ids = {});
    NodeChannel(const NodeChannel&) = delete;
    NodeChannel& operator=(const NodeChannel&) = delete;

    /// From now on elements may lie where only the MPI library can go, as on an accelerator. What the other side does
    /// stays the same.
    void pack_all() { packs_all_.store(true, std::memory_order_relaxed); }

    /// From now on threads use it one after the other.
    void use_in_one_thread() { lock_.expect_one_thread(); }

    /// Bytes of a message at most, in channels that are opened from now on: an int counts what MPI packs before MPI 4.
    /// Longer messages go another way, as both sides know.
    inline static std::int64_t longest = INT_MAX;
    static constexpr int too_long = -1;

    /// As MPI_Isend and MPI_Irecv, to or from another process, who says the same length; but the type lives as long as
    /// the memory does. (A type made for each message would cost more than a short one does, and MPICH 4.0 loses some
    /// memory with every type that is committed.) A null message: it is over. They return an MPI error code; `too_long`:
    /// nothing was done.
    int send(const Elements& elements, int to, std::uint16_t context, int tag,
             NodeMessage** message);
    int receive(const Elements& elements, int from, std::uint16_t context, int tag,
                NodeMessage** message);

    /// @name The same of bytes, where they can go at once
    /// Both say the same length, `at_once_at_most()` bytes at most.
    /// @{
    std::int64_t at_once_at_most() const { return at_once_; }
    AtOnce send_at_once(const void* bytes, std::uint32_t length, int to, std::uint16_t context,
                        int tag)
    {
        const ChannelLock::Hold hold(lock_);
        return peer(to).leave_at_once(bytes, length, context, tag);
    }
    AtOnce receive_at_once(void* bytes, std::uint32_t length, int from, std::uint16_t context,
                           int tag)
    {
        const ChannelLock::Hold hold(lock_);
        return peer(from).come_at_once(bytes, length, context, tag);
    }
    /// @}

    /// Goes on with what is under way; true: something has moved.
    bool progress();
    /// Something is under way that this process has to go on with.
    bool is_busy() const { return wanting_ != 0 || leaving_ != 0 || copies_.are_under_way(); }

    /// The end of a message that is done, which is no more afterwards. Returns its MPI error code.
    int finish(NodeMessage* message);
    /// It must no longer touch the caller's memory, and is no more for him.
    void give_up(NodeMessage* message);

    bool is_crowded() const { return is_crowded_; }

private:
    PeerQueues& peer(int rank) { return peers_[static_cast<std::size_t>(rank)]; }

    /// @name The wire protocol: records that leave, and those that have come
    /// @{
    void queue(NodeMessage& message);
    bool leave(int to);
    bool put(PeerQueues& to, NodeMessage& message);
    bool put_pieces(PeerQueues& to, NodeMessage& message);
    bool arrive(int from);
    void begin(PeerQueues& from, int rank, const Ring::Head& head);
    void ask(PeerQueues& from, int rank, const Ring::Head& head);
    void take(PeerQueues& from, const Ring::Head& head);
    void grant(NodeMessage& message);
    void granted(PeerQueues& from, int rank, const Ring::Head& head);
    void adopt(NodeMessage& posted, NodeMessage& unexpected);
    void want(int from, int more);
    /// @}

    void conclude(NodeMessage& message);
    static void keep(NodeMessage& message);

    SharedMemory memory_;
    bool is_crowded_;
    std::int64_t piece_, asked_from_, longest_, at_once_;  ///< bytes
    std::vector<PeerQueues> peers_;
    MessagePool messages_;
    KnownTypes types_;
    JointCopies copies_;
    std::atomic<std::uint64_t> wanting_{0}, leaving_{0};  ///< a bit a process
    std::atomic<bool> packs_all_{false};
    ChannelLock lock_;
};

}  // namespace laneway
