// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "carriers/footprint.hpp"
#include "schedule/program.hpp"

namespace laneway {

/// What is wrong with programs, as carrying them out has shown: who, where and why, in words.
class Fault : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Carries out the programs of all ranks in one process, with real data, in an order that a seed decides: who
/// goes on next, which message arrives next. Messages arrive while both sides wait or go on; a send is not
/// over before its message has arrived. MPI is asked for types and operators alone.
///
/// Throws Fault for a deadlock, with what each rank waits for; a message that nobody receives or nobody waits
/// for; one of another length than is expected; memory that is used while a message under way writes to it, or
/// written while one reads it.
class InProcess {
public:
    InProcess(MPI_Op op, std::uint64_t seed) : op_(op), random_(seed) {}
    InProcess(const InProcess&) = delete;
    InProcess& operator=(const InProcess&) = delete;

    /// The next rank. The program, its types and the buffers must outlive this.
    void add(const Program& program, const std::vector<void*>& buffers);

    void run();

    std::int64_t messages() const { return messages_; }

private:
    struct Message {
        Use use{};
        Claims::Ticket claim{};
        bool arrived = false, over = false;
        const Operation* operation = nullptr;
    };
    struct Child {
        std::size_t next = 0;
        std::vector<Message> messages;
        std::int64_t outstanding = 0;
        bool running = false, queued = false;
    };
    struct Rank {
        const Program* program;
        std::vector<void*> bases;
        std::vector<std::vector<std::byte>> scratch;
        std::vector<Child> children;
        Claims claims;
    };
    /// A message of a strand of a rank.
    struct Ref {
        int rank;
        std::uint32_t strand, message;
    };
    struct Key {
        int from, to, context, tag;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const;
    };
    /// Sends without a receive, or receives without a send, the oldest first: a list in waiting_.
    struct Unmatched {
        bool sends;
        std::uint32_t first, last;
    };
    struct Waiting {
        Ref ref;
        std::uint32_t next;
    };

    void advance(int rank, std::uint32_t strand);
    void post(int rank, std::uint32_t strand, const Operation& operation);
    std::optional<Ref> match(const Key& key, const Ref& ref, bool sends);
    bool begin_wait(int rank, std::uint32_t strand, const Operation& operation);
    void finish_wait(int rank, std::uint32_t strand, const Operation& operation);
    void deliver(const Ref& send, const Ref& receive);
    void arrive(const Ref& ref);
    void copy(int rank, const Operation& operation);
    void reduce(int rank, const Operation& operation);
    void queue(int rank, std::uint32_t strand);
    void transfer(const Use& from, MPI_Datatype from_type, const Use& to, MPI_Datatype to_type);
    Use use_of(Rank& rank, void* address, std::int64_t count, std::uint16_t type, bool writes);
    void check_free(int rank, std::uint32_t strand, const Use& use,
                    const Operation& operation) const;
    Message& message(const Ref& ref);
    void check_end() const;
    std::string place(int rank, std::uint32_t strand, const Operation& operation) const;
    std::string waits() const;

    MPI_Op op_;
    std::mt19937_64 random_;
    Footprints footprints_;
    std::deque<Rank> ranks_;
    std::vector<std::pair<int, std::uint32_t>> ready_;
    std::vector<std::pair<Ref, Ref>> deliverable_;
    std::unordered_map<Key, Unmatched, KeyHash> unmatched_;
    std::vector<Waiting> waiting_;
    std::vector<std::uint32_t> free_;  ///< of waiting_
    std::vector<char> packed_;
    std::int64_t messages_ = 0;
};

}  // namespace laneway
