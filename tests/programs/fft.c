/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of FFTW's users. Transforms a field on a slab of every process, forwards and back. Prints
 * the largest deviation from where it started and a checksum of the spectrum.
 */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>

enum { ROWS = 60, COLUMNS = 44 };

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    ptrdiff_t rows, first;
    const ptrdiff_t size = fftw_mpi_local_size_2d(ROWS, COLUMNS, MPI_COMM_WORLD, &rows, &first);
    fftw_complex* field = fftw_alloc_complex((size_t)size);
    fftw_plan forward = fftw_mpi_plan_dft_2d(ROWS, COLUMNS, field, field, MPI_COMM_WORLD,
                                             FFTW_FORWARD, FFTW_MEASURE);
    fftw_plan back = fftw_mpi_plan_dft_2d(ROWS, COLUMNS, field, field, MPI_COMM_WORLD,
                                          FFTW_BACKWARD, FFTW_MEASURE);

    for (ptrdiff_t i = 0; i < rows * COLUMNS; ++i) {
        field[i][0] = sin((double)(first * COLUMNS + i));
        field[i][1] = cos(3.0 * (double)(first * COLUMNS + i));
    }
    fftw_execute(forward);
    double power = 0;
    for (ptrdiff_t i = 0; i < rows * COLUMNS; ++i)
        power += field[i][0] * field[i][0] + field[i][1] * field[i][1];
    fftw_execute(back);
    double deviation = 0;
    for (ptrdiff_t i = 0; i < rows * COLUMNS; ++i) {
        const double scale = ROWS * COLUMNS;
        const double where = (double)(first * COLUMNS + i);
        deviation = fmax(deviation, fabs(field[i][0] / scale - sin(where)));
        deviation = fmax(deviation, fabs(field[i][1] / scale - cos(3.0 * where)));
    }

    double all_power, largest;
    MPI_Allreduce(&power, &all_power, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(&deviation, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("power %.12e deviation %s\n", all_power, largest < 1e-12 ? "none" : "!");

    fftw_destroy_plan(forward);
    fftw_destroy_plan(back);
    fftw_free(field);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return 0;
}
