// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "mpi/ring.hpp"
#include "mpi/shared_memory.hpp"
#include "mpi/transfer.hpp"

namespace laneway {

/// Messages between the processes of a node through memory that they share: one copy into it and one out of it. A ring
/// (ring.hpp) from each process to each other one; short messages leave at once, long ones when their receiver has a
/// place for them, in pieces, so that one side copies in while the other copies out.
///
/// It does what MPI promises of messages: those of one tag and context arrive in order, any of them may be received
/// first, and a send that is not received holds up no other one that is: a process reads a ring as far as something in
/// it may be for a receive of its own, and keeps what is for later ones. Beyond that the ring is full, and sends wait:
/// so who is late has at most a ring from each other process to keep.
///
/// Several threads may use it. Nothing in it waits for another process.
class NodeChannel {
public:
    /// Processes at most: rings are one a pair.
    static constexpr int most = 64;

    /// Bytes of memory that a channel for that many processes takes.
    static std::size_t bytes(int processes);

    /// For process `self` of `processes`, which all have that memory. `is_crowded`: they have fewer processors.
    NodeChannel(SharedMemory memory, int processes, int self, bool is_crowded);
    NodeChannel(const NodeChannel&) = delete;
    NodeChannel& operator=(const NodeChannel&) = delete;

    /// As MPI_Isend and MPI_Irecv, to or from another process. A null transfer: it is over. They return an MPI error
    /// code.
    int send(const Elements& elements, int to, std::uint16_t context, int tag, Transfer** transfer);
    int receive(const Elements& elements, int from, std::uint16_t context, int tag,
                Transfer** transfer);

    /// Goes on with what is under way; true: something has moved.
    bool progress();
    /// Something is under way that this process has to go on with.
    bool is_busy() const { return wanting_ != 0 || leaving_ != 0; }

    /// The end of a transfer that is done, which is no more afterwards. Returns its MPI error code.
    int finish(Transfer* transfer);
    /// It must no longer touch the caller's memory, and is no more for him.
    void give_up(Transfer* transfer);

    bool is_crowded() const { return is_crowded_; }

private:
    struct Peer {
        Ring::Writer out;
        Ring::Reader in;
        std::vector<Transfer*> leaving;     ///< in their order
        std::vector<Transfer*> posted;      ///< receives of which nothing has come
        std::vector<Transfer*> unexpected;  ///< what has come and nobody wants yet
        Transfer* comes = nullptr;          ///< the message whose pieces come at present
        int wants = 0;                      ///< receives and answers that are to come from it
    };
    class Lock;
    struct Known {
        MPI_Datatype type;
        std::int64_t size;
        bool is_gap_free;
    };

    Peer& peer(int rank) { return peers_[static_cast<std::size_t>(rank)]; }
    const Known& known(MPI_Datatype type);
    Transfer* make(Transfer::Stage stage, int peer, std::uint16_t context, int tag);
    void release(Transfer* transfer);

    void queue(Transfer& transfer);
    bool leave(int to);
    bool put(Peer& to, Transfer& transfer);
    bool put_pieces(Peer& to, Transfer& transfer);
    bool arrive(int from);
    void begin(Peer& from, int rank, const Ring::Head& head);
    void ask(Peer& from, int rank, const Ring::Head& head);
    void take(Peer& from, const Ring::Head& head);
    void grant(Transfer& transfer);
    void adopt(Transfer& posted, Transfer& unexpected);
    void complete(Transfer& transfer);
    void want(int from, int more);

    SharedMemory memory_;
    bool is_crowded_;
    std::int64_t piece_, asked_from_;  ///< bytes
    std::vector<Peer> peers_;
    std::deque<Transfer> transfers_;
    std::vector<Transfer*> unused_;
    std::array<Known, 4> known_{};
    std::size_t next_known_ = 0;
    Known derived_{};
    std::atomic<std::uint64_t> wanting_{0}, leaving_{0};  ///< a bit a process
    std::atomic_flag locked_;
};

}  // namespace laneway
