// SPDX-License-Identifier: BSD-3-Clause
#include "bench/barrier.hpp"

#include "mpi/error.hpp"

namespace laneway::bench {

void barrier(MPI_Comm comm)
{
    int rank = 0;
    int size = 0;
    check(MPI_Comm_rank(comm, &rank));
    check(MPI_Comm_size(comm, &size));
    for (int distance = 1; distance < size; distance *= 2) {
        const int to = (rank + distance) % size;
        const int from = (rank + size - distance) % size;
        check(MPI_Sendrecv(nullptr, 0, MPI_BYTE, to, 0, nullptr, 0, MPI_BYTE, from, 0, comm,
                           MPI_STATUS_IGNORE));
    }
}

}  // namespace laneway::bench
