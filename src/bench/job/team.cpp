// SPDX-License-Identifier: BSD-3-Clause
#include "bench/job/team.hpp"

#include <unistd.h>

#include <algorithm>

#include "bench/job/clock.hpp"
#include "bench/job/nodes.hpp"
#include "bench/job/ranks.hpp"
#include "library/error.hpp"

namespace laneway::bench {
namespace {

MPI_Comm copy(MPI_Comm comm)
{
    MPI_Comm made = MPI_COMM_NULL;
    check(MPI_Comm_dup(comm, &made));
    return made;
}

/// Whether the ranks of some system outnumber its processors.
bool takes_turns(MPI_Comm comm)
{
    std::vector<int> keys(static_cast<std::size_t>(size_of(comm)));
    const int own = system_key();
    check(MPI_Allgather(&own, 1, MPI_INT, keys.data(), 1, MPI_INT, comm));
    const auto ranks = static_cast<double>(std::ranges::count(keys, own));
    const auto processors = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
    return largest({ranks / processors}, comm).front() > 1;
}

Team make_team(MPI_Comm world, int threads)
{
    Team team{.world = world};
    team.own = copy(world);
    team.barrier = Barrier(team.own, takes_turns(team.own) ? split_node(team.own) : MPI_COMM_NULL);
    team.machine = inspect(team.own);
    for (int thread = 1; thread < threads; ++thread) team.others.push_back(copy(world));
    return team;
}

void free_copies(Team& team)
{
    for (MPI_Comm& other : team.others) check(MPI_Comm_free(&other));
    if (team.own == MPI_COMM_NULL) return;
    team.barrier.free();
    check(MPI_Comm_free(&team.own));
}

}  // namespace

Teams::Teams(int threads) : everyone_(make_team(MPI_COMM_WORLD, threads)), threads_(threads) {}

const Team& Teams::of(int size)
{
    const Machine& machine = everyone_.machine;
    if (size == machine.size) return everyone_;
    if (const auto found = smaller_.find(size); found != smaller_.end()) return found->second;
    MPI_Comm world = MPI_COMM_NULL;
    const bool member = machine.rank < size;
    check(MPI_Comm_split(everyone_.own, member ? 0 : MPI_UNDEFINED, machine.rank, &world));
    return smaller_.emplace(size, member ? make_team(world, threads_) : Team{}).first->second;
}

void Teams::free()
{
    for (auto& [size, team] : smaller_) {
        free_copies(team);
        if (team.world != MPI_COMM_NULL) check(MPI_Comm_free(&team.world));
    }
    free_copies(everyone_);
}

}  // namespace laneway::bench
