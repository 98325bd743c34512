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

/// Messages between the processes of a node through memory that they share: one copy into it and one out of it. There
/// is a ring (ring.hpp) from each process to each other one. Short messages leave at once, long ones when their
/// receiver has a place for them. Then both sides copy from the one's memory to the other's (joint_copy.hpp), once,
/// where the system permits. Elsewhere long messages come in pieces, so that one side copies in while the other copies
/// out.
///
/// It does what MPI promises of messages. Messages of one tag and context arrive in order. Any tag may be received
/// first, and a send that is not received holds up no other one that is. A process reads a ring as far as something in
/// it may be for a receive of its own, and keeps messages for later receives. There is a bound to the messages that it
/// keeps of one other process. Beyond that even short messages are asked about first, and waits for them are waits for
/// their receiver. So a process that is late has to keep so many, and those that others send before they wait.
///
/// Several threads may use it, unless it is told otherwise. Nothing in it waits for another process, except where a
/// joint copy is given up: for the block that the other process is at.
class NodeChannel {
public:
    /// The most processes: there is one ring a pair.
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

    /// From now on elements may lie where only the MPI library can go, as on an accelerator. The other side goes on as
    /// before.
    void pack_all() { packs_all_.store(true, std::memory_order_relaxed); }

    /// From now on threads use it one after the other.
    void use_in_one_thread() { lock_.expect_one_thread(); }

    /// Most bytes of a message, in channels that are opened from now on: before MPI 4, an int counts what MPI packs.
    /// Longer messages go another way, as both sides know.
    inline static std::int64_t longest = INT_MAX;
    static constexpr int too_long = -1;

    /// Send and receive as MPI_Isend and MPI_Irecv, to or from another process, which says the same length. But the
    /// type must live as long as the memory does. (A type for each message would cost more than a short message. MPICH
    /// 4.0 also loses some memory with every type that is committed.) A null message: it is over. They return an MPI
    /// error code; `too_long`: nothing was done.
    int send(const Elements& elements, int to, std::uint16_t context, int tag,
             NodeMessage** message);
    int receive(const Elements& elements, int from, std::uint16_t context, int tag,
                NodeMessage** message);

    /// @name Messages of bytes, where they can go at once
    /// Both sides say the same length, `at_once_at_most()` bytes at most.
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

    /// Goes on with messages that are under way; true: something has moved.
    bool progress();
    /// Whether something is under way that this process has to go on with.
    bool is_busy() const { return wanting_ != 0 || leaving_ != 0 || copies_.are_under_way(); }

    /// Ends a message that is done, which is no more afterwards. Returns its MPI error code.
    int finish(NodeMessage* message);
    /// Gives up a message: it must no longer touch the caller's memory, and is no more for the caller.
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
