// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "containers/few.hpp"
#include "data/datatype.hpp"
#include "data/words.hpp"
#include "flight/communicators.hpp"
#include "flight/file.hpp"
#include "flight/functions.hpp"
#include "flight/requests.hpp"
#include "flight/signature.hpp"

namespace laneway::flight {

/// All that a thread has looked up: a short call costs no more than its share of a few cache lines.
struct Memory {
    struct OfCommunicator {
        MPI_Comm comm;
        const Known* known;
        unsigned changes;
    };
    struct OfType {
        MPI_Datatype type;
        TypeFacts facts;
        unsigned changes;
    };
    struct OfOp {
        MPI_Op op;
        std::uint16_t word;
    };
    std::array<OfCommunicator, 16> communicators{};
    std::array<OfType, 16> types{};
    std::array<OfOp, 4> ops{};
    Thread* place = nullptr;  ///< null: there was none left
    std::uint32_t thread = 0;
};

/// The flight recorder of this process: what it writes down of each call. It sends nothing, waits for nobody, and asks
/// the system for nothing once a thread has made its first call.
class Recorder {
public:
    /// Makes the recorder; false where there can be none.
    static bool make();
    /// The recorder, once it is made.
    static Recorder& own() { return *own_; }

    /// @name The calls of collectives
    /// @{
    /// A record of a call that begins now, and its number.
    struct Entered {
        Record* record;
        std::uint64_t index;

        /// The record; null: it has been written over.
        Record* existing() const
        {
            return record->index.load(std::memory_order_relaxed) == index + 1 ? record : nullptr;
        }
        void set(State state) const
        {
            if (Record* const its = existing()) its->state.store(state, std::memory_order_release);
        }
    };
    Entered enter(const Called& called, const Word* arguments);
    /// A call has returned that begins an operation, or makes a communicator.
    void leave(const Entered& entered, const Called& called, const Word* arguments, int code);
    /// @}

    /// Each of these persistent operations has been started.
    void start(std::span<const MPI_Request> requests);
    void forget_request(MPI_Request request);
    void forget_types() { signatures_.forget(); }
    Communicators& known_communicators() { return communicators_; }
    void end() { file_->header().ended = 1; }

    /// The requests of a call that completes some, of those that are recorded.
    class Completing {
    public:
        /// `tests`: it does not wait.
        Completing(Recorder& recorder, int count, const MPI_Request* requests, bool tests);
        Completing(const Completing&) = delete;
        Completing& operator=(const Completing&) = delete;
        ~Completing();
        /// The call has returned; `completed(i)`: the i-th request is complete, if it is a persistent one.
        template <class Completed>
        void over(const Completed& completed)
        {
            for (One& one : ours_)
                one.done = requests_[one.at] == MPI_REQUEST_NULL || completed(one.at);
        }

    private:
        struct One {
            int at;
            std::int64_t handle;
            std::uint64_t record;
            bool done;
        };
        Recorder& recorder_;
        const MPI_Request* const requests_;
        const bool tests_;
        Few<One, 4> ours_;
    };

    /// While it lives, the calling thread is in a call that is no collective.
    class Being {
    public:
        Being(Recorder& recorder, const Called& called, const Word* arguments);
        Being(const Being&) = delete;
        Being& operator=(const Being&) = delete;
        ~Being()
        {
            if (place_) place_->function.store(0, std::memory_order_relaxed);
        }

    private:
        Thread* place_ = nullptr;
    };

private:
    explicit Recorder(std::unique_ptr<File> file);

    Memory& memory();
    void find_place(Memory& memory);
    const Known* known(Memory& memory, MPI_Comm comm);
    TypeFacts facts(Memory& memory, MPI_Datatype type);
    std::uint16_t word_of(Memory& memory, MPI_Op op);
    void learn_world();
    Record& begin(std::uint64_t index, const Called& called, std::uint32_t communicator,
                  std::uint64_t number);
    void describe(Record& record, Memory& own, const Called& called, const Word* arguments,
                  const Known& known);
    /// A row of a call's arguments; no counts: it has none.
    struct Row {
        /// Where the arguments are, as Function has it.
        Row(const Word* arguments, char count, char type)
            : counts(count ? arguments[place(count)] : 0),
              types(count ? arguments[place(type)] : 0)
        {
        }
        Word counts;
        Word types;
    };
    std::int64_t put_row(Record& record, Flag flag, std::uint64_t at, Memory& own,
                         const Called& called, const Row& row, std::uint32_t size);
    Entered entered(std::uint64_t index) { return {&file_->record(index), index}; }
    std::uint64_t next_record();
    /// Locks where the process may have several threads in MPI.
    std::unique_lock<std::mutex> lock_requests();

    std::unique_ptr<File> file_;
    Communicators communicators_;
    Signatures signatures_;
    std::mutex requests_mutex_;
    Requests requests_;
    std::atomic<std::size_t> pending_ = 0;
    bool knows_world_ = false;
    bool has_threads_ = true;  ///< as far as is known

    static inline Recorder* own_ = nullptr;
};

}  // namespace laneway::flight
