/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI library without its mpi.h: handles are words, and those named here are found in the library or
 * fixed by its binary interface. */
#ifndef LANEWAY_MPI_IN_WORDS_H
#define LANEWAY_MPI_IN_WORDS_H

#include "api/library.h"
#include "api/words.h"

typedef int LanewayCopy(Word comm, int key, void* extra, void* from, void* to, int* copied);
typedef int LanewayDelete(Word comm, int key, void* value, void* extra);

extern struct LanewayMpi {
    int (*initialized)(int*);
    int (*finalized)(int*);
    int (*comm_create_keyval)(LanewayCopy*, LanewayDelete*, int*, void*);
    int (*comm_free_keyval)(int*);
    int (*comm_get_attr)(Word, int, void*, int*);
    int (*comm_set_attr)(Word, int, void*);
    int (*comm_test_inter)(Word, int*);
    int (*comm_size)(Word, int*);
    int (*iallreduce)(const void*, void*, int, Word, Word, Word, Word*);
    int (*test)(Word*, int*, void*);
    int (*wait)(Word*, void*);
    Word byte, band, comm_null, comm_self;
    int handles_are_ints;
} laneway_mpi;

/* To be called first. */
void laneway_find_mpi(const Library* library);

/* Whether two handles are one. */
int laneway_is_same(Word comm, Word other);

int laneway_is_null(Word comm);

/* The communicator whose handle lies at an address; at none, MPI_COMM_NULL. */
Word laneway_handle_at(const void* comm);

/* Whether MPI_COMM_WORLD is there. */
int laneway_world_is_there(void);

#endif
