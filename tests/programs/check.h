/* SPDX-License-Identifier: BSD-3-Clause */
/* For the test programs: a condition that ends the job where it does not hold. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            printf("%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            fflush(stdout);                                                       \
            MPI_Abort(MPI_COMM_WORLD, 1);                                         \
        }                                                                         \
    } while (0)

#endif
