/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives with large counts on a library without: their common forms, where all fits. */
#ifndef LANEWAY_NARROWING_H
#define LANEWAY_NARROWING_H

#include "api/words.h"

/* Values that are the same in every MPI library without large counts; the preload knows no mpi.h. */
#define ERROR_COUNT 2                               /* MPI_ERR_COUNT */
#define IS_ROOT_OF_OTHERS(root) ((int)(root) <= -3) /* MPI_ROOT; MPI_PROC_NULL: -1, -2 */
#define IS_IN_PLACE(address) ((address) == 1 || (address) == -1) /* MPI_IN_PLACE */

/* One call: its communicator and the arrays of ints made for it. */
typedef struct {
    Word comm;
    int code; /* an MPI error code; if it is not 0, an error was raised and there is nothing to call */
    int too_large; /* some count does not fit into an int */
    int is_inter, rank, size;
    int blocks; /* one of each process that data go to or come from */
    int made;
    int* rows[4];
} Narrowing;

/* How many blocks a collective of neighbours sends and receives. */
typedef struct {
    int destinations, sources;
} Neighbors;

/* How long the library may read the arrays of a call: those of a persistent one are never freed. */
typedef enum { UNTIL_DONE, WHILE_UNDER_WAY, FOR_EVER } Lives;

#pragma GCC visibility push(hidden)

/* To be called first. `library` is asked about communicators. */
void laneway_narrow_for(void* library);

Narrowing laneway_narrow(Word comm);

/* Notes whether the count fits into an int. */
void laneway_narrow_count(Narrowing* call, Word count);

/* The address of `blocks` ints equal to the 64-bit numbers at `row`. */
Word laneway_narrow_row(Narrowing* call, Word row, int blocks);

/* The numbers of neighbours; none where the communicator has no topology, which the library rejects. */
Neighbors laneway_neighbors(const Narrowing* call);

/* Raises MPI_ERR_COUNT, and returns it. */
int laneway_count_error(const Narrowing* call);

/* Frees the arrays when they are no longer needed; returns the call's code. */
int laneway_narrowed(Narrowing* call, Lives lives);

#pragma GCC visibility pop

#endif
