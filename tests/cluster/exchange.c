// SPDX-License-Identifier: BSD-3-Clause
//
// exchange BYTES SECONDS STATUS: every rank sends BYTES to the same local rank of the next node. It does so
// at least once and until SECONDS are over. Then it prints "host rank devices" and exits with STATUS.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char* devices(void)
{
    static const char* const names[] = {"OMPI_MCA_btl_tcp_if_include", "UCX_NET_DEVICES",
                                        "FI_TCP_IFACE"};
    for (int i = 0; i < 3; i++)
        if (getenv(names[i])) return getenv(names[i]);
    return "none";
}

int main(int argc, char** argv)
{
    const int bytes = argc > 1 ? atoi(argv[1]) : 0;
    const double seconds = argc > 2 ? atof(argv[2]) : 0;
    const int status = argc > 3 ? atoi(argv[3]) : 0;
    char* const out = calloc(bytes + 1, 1);
    char* const in = calloc(bytes + 1, 1);
    char host[256] = "";
    int rank, size, ppn;
    MPI_Comm node;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &ppn);
    gethostname(host, sizeof host - 1);

    const double start = MPI_Wtime();
    int more;
    do {
        MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + ppn) % size, 0, in, bytes, MPI_CHAR,
                     (rank - ppn + size) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        more = MPI_Wtime() - start < seconds;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    } while (more);
    printf("%s %d %s\n", host, rank, devices());
    fflush(stdout);
    MPI_Comm_free(&node);
    MPI_Finalize();
    free(out);
    free(in);
    return status;
}
