// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "flight/file.hpp"
#include "flight/functions.hpp"

namespace laneway::flight {

/// A communicator of the program's. Its identity follows from what all its processes know without a message: see
/// README.md.
struct Known {
    std::uint32_t slot;
    int rank;
    int size;  ///< processes of the own group
    bool is_inter;
    std::vector<int> members;  ///< ranks in MPI_COMM_WORLD; of both groups, the lower one first
};

class Communicators {
public:
    explicit Communicators(File& file) : file_(file) {}

    /// The communicator `comm`; null where the file has no room for one more. Local.
    const Known* of(MPI_Comm comm);

    /// `made` is new: the call with that number on `parent` has made it.
    void add(const Function& by, const Known& parent, std::uint64_t number, int tag, MPI_Comm made);

    /// A communicator that the program frees, as long as that is not over: its handle is soon another's.
    class Freeing {
    public:
        Freeing(Communicators& all, MPI_Comm comm);
        /// `gone`: the library has freed it.
        void over(bool gone);

    private:
        Communicators& all_;
        std::int64_t handle_;
        std::unique_ptr<Known> known_;
    };

    /// The number of communicators that were made or freed: what was known of a handle holds while it stays the same.
    unsigned changes() const { return changes_.load(std::memory_order_acquire); }

private:
    const Known* keep(MPI_Comm comm, std::unique_ptr<Known> known);
    /// How a communicator came about.
    struct Origin {
        std::uint64_t identity;
        bool is_alone;
        std::uint32_t by = 0, parent = 0;
        std::uint64_t number = 0;
    };
    /// A slot of the file for a communicator; none: `communicators`.
    std::uint32_t entry_for(const Known& known, const Origin& origin);
    std::unique_ptr<Known> unknown(MPI_Comm comm);
    std::uint64_t times_made(std::uint64_t key);

    File& file_;
    std::atomic<unsigned> changes_ = 0;
    std::mutex mutex_;
    std::unordered_map<std::int64_t, std::unique_ptr<Known>> known_;
    std::vector<std::unique_ptr<Known>> replaced_;  ///< other threads may still look at them
    std::uint32_t entries_ = 0;
    std::deque<std::uint32_t> freed_;  ///< entries of communicators that are gone, the oldest first
    std::unordered_map<std::uint64_t, std::uint64_t> made_;
};

/// CLOCK_MONOTONIC_COARSE in nanoseconds: it costs a third of the fine one, and the processes of a node share it.
std::int64_t now();

}  // namespace laneway::flight
