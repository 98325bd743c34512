// SPDX-License-Identifier: BSD-3-Clause
#include "bench/job/ranks.hpp"

#include <ctime>

#include "library/error.hpp"

namespace laneway::bench {

int rank_in(MPI_Comm comm)
{
    int rank = 0;
    check(MPI_Comm_rank(comm, &rank));
    return rank;
}

int size_of(MPI_Comm comm)
{
    int size = 0;
    check(MPI_Comm_size(comm, &size));
    return size;
}

std::vector<double> largest(std::vector<double> values, MPI_Comm comm)
{
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE,
                        MPI_MAX, comm));
    return values;
}

void rest(MPI_Comm comm)
{
    constexpr std::timespec nap{.tv_sec = 0, .tv_nsec = 200'000};
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(comm, &request));
    int done = 0;
    while (check(MPI_Test(&request, &done, MPI_STATUS_IGNORE)), done == 0) nanosleep(&nap, nullptr);
}

}  // namespace laneway::bench
