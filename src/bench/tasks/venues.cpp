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

namespace {

/// A graph of the ranks of a communicator, whose edges are those of the problem.
MPI_Comm graph(MPI_Comm comm, const Problem& problem)
{
    const std::vector<int>& sources = problem.sources.peers;
    const std::vector<int>& destinations = problem.destinations.peers;
    const std::vector<int> weights(1 + std::max(sources.size(), destinations.size()), 1);
    MPI_Comm made = MPI_COMM_NULL;
    check(MPI_Dist_graph_create_adjacent(comm, static_cast<int>(sources.size()), sources.data(),
                                         weights.data(), static_cast<int>(destinations.size()),
                                         destinations.data(), weights.data(), MPI_INFO_NULL, 0,
                                         &made));
    return made;
}

}  // namespace

void Venues::open(const Case& of, const Problem& problem)
{
    if (of.operation.of_neighbors) {
        for (MPI_Comm& comm : comms_) graphs_.push_back(comm = graph(comm, problem));
    }
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
    for (MPI_Comm& comm : graphs_) check(MPI_Comm_free(&comm));
    graphs_.clear();
}

Venues::Venue Venues::of(const Candidate& candidate) const
{
    static const Forced nothing;
    const auto found = forced_.find(candidate.label);
    if (found == forced_.end()) return {nothing, comms_};
    return {found->second, found->second.comms()};
}

}  // namespace laneway::bench
