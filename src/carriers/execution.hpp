// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "carriers/awaited.hpp"
#include "data/scratch.hpp"
#include "messages/comm.hpp"
#include "messages/wire.hpp"
#include "schedule/program.hpp"

namespace laneway {

/// Carries out a program by messages. Waits for them in the library, not in a loop of tests, unless some go by the
/// channel of a node. May be started again once it has ended; that allocates nothing. An error is kept, and the program
/// goes on to its end all the same, whatever its data are. Others wait for its messages, and messages under way must
/// not outlive their memory. But where lengths differ, the end may never come: the rest is given up, and the execution
/// cannot be started again.
class Execution {
public:
    /// `buffers` are the caller's, as many as the program has; `wires`: the data that it packs and unpacks; `op` is for
    /// its reductions, if any. All ranks give the same `first_tag`; the program's all_tags() from there on are this
    /// execution's. The program, the wires, the types and the operator must outlive it. Throws std::bad_alloc.
    Execution(const Program& program, const std::vector<void*>& buffers,
              std::vector<const Wire*> wires, MPI_Op op, int first_tag);
    ~Execution();
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

    /// Begins from the start, as far as that goes without waiting.
    void start();
    /// Begins as start() does, and goes on with messages that have come already. It does not look at the network, which
    /// costs as much as a message. True: the program has ended, or is given up. Throws Error where the library cannot
    /// even be asked.
    bool begin();
    /// In the library's progress, goes on as far as that goes without waiting; returns and throws as begin() does.
    bool test();
    /// Goes on to the end. Throws Error.
    void wait();
    /// The first error since the start; MPI_SUCCESS: none.
    int error() const { return error_; }
    /// Whether the program has not gone to its end, as lengths differ.
    bool is_given_up() const { return !ended_ && lengths_differ(); }

private:
    struct Child {
        std::size_t next = 0;           ///< operation
        std::size_t first_request = 0;  ///< the place of its messages in requests_
        std::uint32_t message = 0;      ///< number of the next message
        std::int64_t outstanding = 0;   ///< messages that it waits for
        bool running = false;
    };

    bool go_on(bool (Awaited::*look)());
    void* resolve(void* address) const;
    bool advance(std::size_t strand);
    bool begin_wait(std::size_t strand, const Operation& operation);
    void post(std::size_t strand, const Operation& operation);
    std::pair<Buffer, Buffer> sides(const Operation& copy) const;
    bool begin_copy(std::size_t strand, const Operation& operation);
    template <class... Message>
    void await(std::size_t strand, Message... message)
    {
        awaited_.add(strand, message...);
        ++children_[strand].outstanding;
    }
    void over(std::size_t strand, int code)
    {
        note(code);
        --children_[strand].outstanding;
    }
    void note(int code)
    {
        if (error_ == MPI_SUCCESS) error_ = code;
    }
    bool advance_all();
    bool lengths_differ() const;

    const Program& program_;
    std::vector<const Wire*> wires_;
    MPI_Op op_;
    int first_tag_;
    std::vector<void*> bases_;
    Scratch scratch_;
    std::vector<Child> children_;
    // Children are forked in their order: those before the first have ended, others have not begun.
    std::size_t first_live_ = 1;
    std::size_t forked_ = 1;
    bool ended_ = true;
    std::vector<MPI_Request> requests_;  ///< the requests of all messages
    std::vector<std::int64_t> lengths_;  ///< bytes of the messages that the library receives
    std::vector<NodeMessage*> near_;     ///< the node channel's messages, placed as in requests_
    NodeChannel* const channel_;  ///< the channel of all the program's groups; null: there is none
    Awaited awaited_;
    int error_ = MPI_SUCCESS;
};

}  // namespace laneway
