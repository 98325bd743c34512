// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "bench/job/team.hpp"
#include "bench/native/algorithms.hpp"
#include "bench/tasks/plan.hpp"

namespace laneway::bench {

/// The communicators on which the calls of a case are made: the team's, or copies of them. On copies, the MPI library
/// uses the algorithm that a candidate forces.
class Venues {
public:
    /// Venues for so many threads a rank.
    Venues(const Team& team, std::size_t threads);

    /// Makes the copies that candidates want, and the graphs of neighbours, and frees them. Nonblocking calls are served
    /// between the two. Collective. `problem`: the call of a thread.
    void open(const Case& of, const Problem& problem);
    void close();

    struct Venue {
        const Forced& forced;                ///< The algorithm to hold during calls.
        const std::vector<MPI_Comm>& comms;  ///< One for each thread.
    };
    Venue of(const Candidate& candidate) const;

private:
    std::vector<MPI_Comm> comms_;
    std::vector<MPI_Comm> graphs_;          ///< graphs of neighbours, in the place of the team's
    std::map<std::string, Forced> forced_;  ///< The forced algorithms by label.
};

}  // namespace laneway::bench
