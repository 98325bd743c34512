/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that knows nothing of Laneway: each step distributes parameters, works on them on every
 * process, and adds up the results. For the tutorial, docs/tutorial-application.md:
 *
 *     mpicc -O2 steps.c -o steps
 *     mpirun -np 16 ./steps 1000000 10
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int count = argc > 1 ? atoi(argv[1]) : 1000000;
    int steps = argc > 2 ? atoi(argv[2]) : 10;
    size_t bytes = (size_t)count * sizeof(float);

    float* parameters = calloc(1, bytes);
    float* result = calloc(1, bytes);
    float* sum = calloc(1, bytes);
    double start = MPI_Wtime();
    for (int step = 0; step < steps; ++step) {
        MPI_Bcast(parameters, count, MPI_FLOAT, 0, MPI_COMM_WORLD);
        for (int i = 0; i < count; ++i) result[i] = (float)((rank + i + step) % 8) - parameters[i];
        MPI_Reduce(result, sum, count, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank == 0)
            for (int i = 0; i < count; ++i) parameters[i] += sum[i] / (float)ranks / 2;
    }
    double seconds = MPI_Wtime() - start;

    if (rank == 0) {
        double total = 0;
        for (int i = 0; i < count; ++i) total += parameters[i];
        printf("%d steps with %d parameters on %d processes: %.2f s; result %.6f\n", steps, count,
               ranks, seconds, total / count);
    }
    free(parameters);
    free(result);
    free(sum);
    MPI_Finalize();
    return 0;
}
