// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace laneway {

/// The numbers that learners have kept, by text that names the class of calls.
using Kept = std::map<std::string, std::vector<double>, std::less<>>;

/// The calling process's knowledge from all of its communicators: one that begins goes on from there. Safe in several
/// threads.
class Knowledge {
public:
    static Knowledge& own();

    /// Takes what the learner of a class has kept, unless more is known of that class. `call`: the beginning of a rule,
    /// up to its conditions. `rest`: what follows, where the class is decided; empty: the rule no longer holds; none:
    /// it stays as it is.
    void take(const std::string& name, std::vector<double> kept, const std::string& call,
              const std::optional<std::string>& rest);

    /// The knowledge of classes whose names begin with `shape`.
    Kept of(std::string_view shape);

    /// The rules that were learnt, `rest` by `call`; an empty one is forgotten.
    std::map<std::string, std::string> rules();

    /// @name The calling process's times in nanoseconds, see Budget
    /// @{
    std::atomic<std::int64_t> total = 0;
    std::atomic<std::int64_t> reduction = 0;
    /// @}

private:
    std::mutex mutex_;
    Kept kept_;
    std::map<std::string, std::string> rules_;
};

/// The knowledge of a shape that all processes of `comm` begin with. It is their own where that is the same on all,
/// else that of rank 0. Collective.
Kept agreed_knowledge(MPI_Comm comm, std::string_view shape);

}  // namespace laneway
