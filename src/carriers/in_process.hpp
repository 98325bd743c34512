// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "carriers/channels.hpp"
#include "carriers/claims.hpp"
#include "carriers/use.hpp"
#include "schedule/program.hpp"
#include "text/random.hpp"

namespace laneway {

/// A fault of programs that carrying them out has shown: who, where and why, in words.
class Fault : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Carries out the programs of all ranks in one process, with real data. A seed decides the order: who goes on
/// next, which message arrives next. Messages arrive while both sides wait or go on; a send is not over before
/// its message has arrived. MPI is asked for types and operators alone.
///
/// Throws Fault for
/// - a deadlock, with what each rank waits for;
/// - a message that nobody receives or nobody waits for, or that has another length than is expected;
/// - memory that is used while a message under way writes to it, or written while one reads it;
/// - temporary memory that is used beyond its end.
class InProcess {
public:
    InProcess() = default;
    InProcess(const InProcess&) = delete;
    InProcess& operator=(const InProcess&) = delete;

    /// Forgets all programs; the memory for them stays, so that the next ones cost no allocations.
    void start(MPI_Op op, std::uint64_t seed);

    /// Adds the next rank's program. The program, its types and the buffers must outlive `run`.
    void add(const Program& program, std::span<void* const> buffers);

    void run();

    std::int64_t messages() const { return messages_; }

private:
    /// A message. The messages of all ranks and strands are numbered, each strand's one after the other.
    struct Message {
        const Operation* operation;
        const Footprint* type;
        std::intptr_t address;
        std::uint32_t child;
        bool arrived, over, awaited;

        Use use() const
        {
            return {address, operation->count, type, operation->kind == Operation::Kind::receive};
        }
    };
    /// A strand of a rank. Strands are numbered like messages.
    struct Child {
        std::uint32_t rank, strand;
        std::uint32_t next = 0;  ///< operation
        std::uint32_t first_message = 0, posted = 0;
        std::uint32_t outstanding = 0;
        bool running = false, queued = false;
    };
    struct Base {
        std::intptr_t start;
        std::int64_t bytes;  ///< -1: a buffer of the caller, who sees to its bounds
    };
    struct Rank {
        const Program* program;
        std::uint32_t first_base, bases, first_type, first_child;
    };

    void advance(std::uint32_t number);
    void post(std::uint32_t number, Child& child, const Operation& operation);
    bool wait(Child& child, const Operation& operation);
    void end(std::uint32_t number);
    void deliver(std::uint32_t send, std::uint32_t receive);
    void arrive(std::uint32_t number);
    void copy(const Child& child, const Operation& operation);
    void reduce(const Child& child, const Operation& operation);
    void queue(std::uint32_t child);
    Use use_of(const Child& child, const Operation& operation, const void* address,
               std::int64_t count, std::uint16_t type, bool writes) const;
    void check_free(const Child& child, const Use& use, const Use::Hull& hull,
                    const Operation& operation) const;
    std::string place(const Child& child, const Operation& operation) const;
    std::string waits() const;

    MPI_Op op_ = MPI_OP_NULL;
    Random random_{0};
    std::vector<Rank> ranks_;
    std::vector<Child> children_;
    std::vector<Message> messages_by_number_;
    std::vector<Base> bases_;
    std::vector<const Footprint*> types_;
    std::vector<Claims> claims_;        ///< by rank
    std::vector<std::byte> temporary_;  ///< temporary memory of all ranks
    std::size_t temporary_bytes_ = 0;
    std::uint32_t all_messages_ = 0;
    Channels channels_;
    std::vector<std::uint32_t> ready_;  ///< children
    std::vector<std::pair<std::uint32_t, std::uint32_t>> deliverable_;
    Footprints footprints_;
    std::int64_t messages_ = 0;
};

}  // namespace laneway
