// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <sched.h>
#include <sys/types.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "node/joint_copy.hpp"
#include "node/message.hpp"
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
/// Several threads may use it, unless it is told otherwise. Nothing in it waits for another process.
class NodeChannel {
public:
    /// Processes at most: rings are one a pair.
    static constexpr int most = 64;
    /// Bytes that a process sends to one other without asking, and that no receive there has wanted yet.
    static constexpr std::uint64_t unasked_at_most = 512 << 10;

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

    /// From now on threads use it one after the other. Who takes a lock waits until all that it has written is with the
    /// others, which takes as long as a short message.
    void use_in_one_thread() { in_one_thread_ = true; }

    /// Bytes at most: an int counts what MPI packs before MPI 4. Longer messages go another way, as both sides know. The
    /// tests make it small.
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
    enum class AtOnce : std::uint8_t {
        done,
        not_yet,  ///< nothing has come
        never,    ///< there is no room, or others are before it: it goes as others do
    };
    std::int64_t at_once_at_most() const { return std::min(piece_, longest); }
    AtOnce send_at_once(const void* bytes, std::uint32_t length, int to, std::uint16_t context,
                        int tag)
    {
        const Lock lock(*this);
        return leaves_at_once(peer(to), bytes, length, context, tag);
    }
    AtOnce receive_at_once(void* bytes, std::uint32_t length, int from, std::uint16_t context,
                           int tag)
    {
        const Lock lock(*this);
        return comes_at_once(peer(from), bytes, length, context, tag);
    }
    /// @}

    /// Goes on with what is under way; true: something has moved.
    bool progress();
    /// Something is under way that this process has to go on with.
    bool is_busy() const { return wanting_ != 0 || leaving_ != 0 || copying_ != 0; }

    /// The end of a message that is done, which is no more afterwards. Returns its MPI error code.
    int finish(NodeMessage* message);
    /// It must no longer touch the caller's memory, and is no more for him.
    void give_up(NodeMessage* message);

    bool is_crowded() const { return is_crowded_; }

private:
    struct Peer {
        Ring::Writer out;
        Ring::Reader in;
        std::vector<NodeMessage*> leaving;     ///< in their order
        std::vector<NodeMessage*> posted;      ///< receives of which nothing has come
        std::vector<NodeMessage*> unexpected;  ///< what has come and nobody wants yet
        NodeMessage* comes = nullptr;          ///< the message whose pieces come at present
        int wants = 0;                         ///< receives and answers that are to come from it
        std::uint64_t unasked = 0;             ///< that have left, or are to
        std::uint64_t wanted = 0;              ///< of these, as was seen last
    };
    /// Has the channel to itself, at once or, where it doesn't wait, perhaps not.
    class Lock {
    public:
        explicit Lock(NodeChannel& channel, bool waits = true) : channel_(channel)
        {
            while (!(holds_ = take()) && waits) sched_yield();
        }
        Lock(const Lock&) = delete;
        Lock& operator=(const Lock&) = delete;
        ~Lock()
        {
            if (holds_) channel_.locked_.store(false, std::memory_order_release);
        }
        explicit operator bool() const { return holds_; }

    private:
        bool take()
        {
            std::atomic<bool>& locked = channel_.locked_;
            if (!channel_.in_one_thread_) return !locked.exchange(true, std::memory_order_acquire);
            if (locked.load(std::memory_order_relaxed)) return false;  // by a caller of ours
            locked.store(true, std::memory_order_relaxed);
            return true;
        }

        NodeChannel& channel_;
        bool holds_ = false;
    };
    struct Known {
        MPI_Datatype type;
        std::int64_t size;
        bool is_gap_free;
    };

    Peer& peer(int rank) { return peers_[static_cast<std::size_t>(rank)]; }
    const Known& known(MPI_Datatype type);
    NodeMessage* make(NodeMessage::Stage stage, int peer, std::uint16_t context, int tag);
    void release(NodeMessage* message);

    static std::uint64_t cost(std::uint64_t length);
    static bool may_come_unasked(Peer& to);
    static AtOnce leaves_at_once(Peer& to, const void* bytes, std::uint32_t length,
                                 std::uint16_t context, int tag);
    static AtOnce comes_at_once(Peer& from, void* bytes, std::uint64_t length,
                                std::uint16_t context, int tag);
    void queue(NodeMessage& message);
    bool leave(int to);
    bool put(Peer& to, NodeMessage& message);
    bool put_pieces(Peer& to, NodeMessage& message);
    bool arrive(int from);
    void begin(Peer& from, int rank, const Ring::Head& head);
    void ask(Peer& from, int rank, const Ring::Head& head);
    void take(Peer& from, const Ring::Head& head);
    void grant(NodeMessage& message);
    void granted(Peer& from, int rank, const Ring::Head& head);
    JointCopy* copies_of(int receiver) const
    {
        return reinterpret_cast<JointCopy*>(copies_) + std::ptrdiff_t{receiver} * copies_each;
    }
    JointCopy* new_copy(const NodeMessage& message) const;
    void join(NodeMessage& message);
    bool copy();
    void conclude(NodeMessage& message);
    static void keep(NodeMessage& message);
    void adopt(NodeMessage& posted, NodeMessage& unexpected);
    void complete(NodeMessage& message);
    void want(int from, int more);

    SharedMemory memory_;
    bool is_crowded_;
    std::int64_t piece_, asked_from_;  ///< bytes
    std::vector<Peer> peers_;
    std::deque<NodeMessage> of_node_;
    std::vector<NodeMessage*> unused_;
    std::array<Known, 4> known_{};
    std::size_t next_known_ = 0;
    Known derived_{};
    std::vector<pid_t> ids_;
    std::vector<NodeMessage*> joint_;
    std::atomic<std::uint64_t> wanting_{0}, leaving_{0};  ///< a bit a process
    std::atomic<std::size_t> copying_{0};                 ///< how many are joint
    int self_;
    std::byte* copies_ = nullptr;  ///< joint copies, for each process those that it receives
    static constexpr int copies_each = 32;
    std::atomic<bool> packs_all_{false};
    bool in_one_thread_ = false;
    std::atomic<bool> locked_{false};
};

}  // namespace laneway
