// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/comm.hpp"
#include "schedule/program.hpp"

namespace laneway {

/// Carries out a program by messages. Waits for them in the library, not in a loop of tests, but where some go by the
/// channel of a node. May be
/// started again once it has ended; that allocates nothing. An error is kept, and the program goes on to its
/// end all the same, whatever its data are: others wait for its messages, and what is under way must not
/// outlive its memory.
class Execution {
public:
    /// `buffers` of the caller, as many as the program has; `op` for its reductions, if any. All ranks give
    /// the same `first_tag`; the program's all_tags() from there on are this execution's. The program, the
    /// types and the operator must outlive it. Throws std::bad_alloc.
    Execution(const Program& program, const std::vector<void*>& buffers, MPI_Op op, int first_tag);
    ~Execution();
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

    /// Begins from the start, as far as that goes without waiting.
    void start();
    /// Goes on as far as that goes without waiting; true: the program has ended. Throws Error where the
    /// library cannot even be asked.
    bool test();
    /// Goes on to the end. Throws Error.
    void wait();
    /// The first error since the start; MPI_SUCCESS: none.
    int error() const { return error_; }

private:
    struct Child {
        std::size_t next = 0;           ///< operation
        std::size_t first_request = 0;  ///< of its messages in requests_
        std::uint32_t message = 0;      ///< the next one's number
        std::int64_t outstanding = 0;   ///< messages that it waits for
        bool running = false;
    };
    struct Free {
        void operator()(void* memory) const;
    };

    void* resolve(void* address) const;
    bool advance(std::size_t strand);
    bool begin_wait(std::size_t strand, const Operation& operation);
    void begin_copy(std::size_t strand, const Operation& operation);
    void await(std::size_t strand, MPI_Request request);
    bool look();
    bool settle_near();
    void settle(int code, int completed);
    void note(int code)
    {
        if (error_ == MPI_SUCCESS) error_ = code;
    }
    bool advance_all();

    const Program& program_;
    MPI_Op op_;
    int first_tag_;
    std::vector<void*> bases_;
    std::unique_ptr<void, Free> scratch_;
    std::vector<Child> children_;
    // Children are forked in their order: those before the first have ended, others have not begun.
    std::size_t first_live_ = 1;
    std::size_t forked_ = 1;
    bool ended_ = true;
    std::vector<MPI_Request> requests_;  ///< of all messages
    std::vector<NodeMessage*> near_;     ///< the same, of those by the channel of the node
    // What children wait for: requests, and whose they are.
    std::vector<MPI_Request> awaited_;
    std::vector<std::size_t> awaited_by_;
    struct Near {
        NodeMessage* message;
        std::size_t strand;
    };
    std::vector<Near> awaited_near_;
    NodeChannel* channel_ = nullptr;  ///< of all the program's groups; null: there is none
    std::vector<int> indices_;
    std::vector<MPI_Status> statuses_;
    int error_ = MPI_SUCCESS;
};

}  // namespace laneway
