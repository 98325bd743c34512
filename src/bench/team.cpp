// SPDX-License-Identifier: BSD-3-Clause
#include "bench/team.hpp"

#include <ctime>

#include "mpi/error.hpp"

namespace laneway::bench {
namespace {

MPI_Comm copy(MPI_Comm comm)
{
    MPI_Comm made = MPI_COMM_NULL;
    check(MPI_Comm_dup(comm, &made));
    return made;
}

Team make_team(MPI_Comm world, int threads)
{
    Team team{.world = world};
    team.own = copy(world);
    team.barrier = Barrier(team.own);
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

void rest(MPI_Comm comm)
{
    constexpr std::timespec nap{.tv_sec = 0, .tv_nsec = 200'000};
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(comm, &request));
    int done = 0;
    while (check(MPI_Test(&request, &done, MPI_STATUS_IGNORE)), done == 0) nanosleep(&nap, nullptr);
}

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
