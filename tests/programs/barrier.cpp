// SPDX-License-Identifier: BSD-3-Clause
// The benchmark's barrier on every number of processes of this job, with nodes of many shapes. Each process in turn
// comes late: nobody may leave before the last one has come.
#include "bench/job/barrier.hpp"

#include <mpi.h>

#include <cstdio>
#include <ctime>

using laneway::bench::Barrier;

namespace {

constexpr int sizes_of_nodes[] = {0, 1, 2, 4, 5, 64};  // 0: no nodes; 64: all on one.

double seconds(clockid_t clock)
{
    std::timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Whether somebody left too early.
bool fails(MPI_Comm comm, int node_size)
{
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm node = MPI_COMM_NULL;
    if (node_size > 0) MPI_Comm_split(comm, rank / node_size, rank, &node);
    Barrier barrier(comm, node);
    bool failed = false;
    for (int late = 0; late < size; ++late) {
        constexpr std::timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
        if (rank == late) nanosleep(&pause, nullptr);
        double came = seconds(CLOCK_MONOTONIC);
        barrier();
        double left = -seconds(CLOCK_MONOTONIC);
        MPI_Allreduce(MPI_IN_PLACE, &came, 1, MPI_DOUBLE, MPI_MAX, comm);
        MPI_Allreduce(MPI_IN_PLACE, &left, 1, MPI_DOUBLE, MPI_MAX, comm);
        failed = failed || -left < came;
    }
    barrier.free();
    return failed;
}

}  // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    int most = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &most);
    int tried = 0;
    for (int size = 1; size <= most; ++size) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, rank, &comm);
        if (comm == MPI_COMM_NULL) continue;
        for (const int node_size : sizes_of_nodes) {
            ++tried;
            if (fails(comm, node_size) && rank == 0)
                std::printf("%d processes, %d a node: left too early\n", size, node_size);
        }
        MPI_Comm_free(&comm);
    }
    if (rank == 0) std::printf("%d shapes\n", tried);
    MPI_Finalize();
    return 0;
}
