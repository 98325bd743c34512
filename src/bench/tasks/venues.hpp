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

/// Where the calls of a case are made: on the team's communicators, or on copies of them where the
/// MPI library uses the algorithm that a candidate forces.
class Venues {
public:
    /// For so many threads a rank.
    Venues(const Team& team, std::size_t threads);

    /// Makes the copies that candidates want, and frees them; nonblocking calls are served between the two. Collective.
    void open(const Case& of);
    void close();

    struct Venue {
        const Forced& forced;                ///< To be held during calls.
        const std::vector<MPI_Comm>& comms;  ///< One a thread.
    };
    Venue of(const Candidate& candidate) const;

private:
    std::vector<MPI_Comm> comms_;
    std::map<std::string, Forced> forced_;  ///< By label.
};

}  // namespace laneway::bench
