// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tasks/venues.hpp"

#include <laneway.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "library/error.hpp"

namespace laneway::bench {

Venues::Venues(const Team& team, std::size_t threads) : comms_{team.world}
{
    std::ranges::copy(team.others, std::back_inserter(comms_));
    comms_.resize(threads);
}

void Venues::open(const Case& of)
{
    if (of.operation.nonblocking)
        for (const MPI_Comm comm : comms_) check(laneway_decompose(comm));
    for (const Candidate& candidate : of.candidates) {
        if (candidate.forced.empty()) continue;
        Forced forced(of.operation.collective, candidate.forced);
        forced.copy(comms_);
        forced_.emplace(candidate.label, std::move(forced));
    }
}

void Venues::close()
{
    for (auto& [label, forced] : forced_) forced.free();
    forced_.clear();
}

Venues::Venue Venues::of(const Candidate& candidate) const
{
    static const Forced nothing;
    const auto found = forced_.find(candidate.label);
    if (found == forced_.end()) return {nothing, comms_};
    return {found->second, found->second.comms()};
}

}  // namespace laneway::bench
