/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/narrowing.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static int (*comm_test_inter)(Word, int*);
static int (*comm_rank)(Word, int*);
static int (*comm_size)(Word, int*);
static int (*comm_remote_size)(Word, int*);
static int (*comm_call_errhandler)(Word, int);

void laneway_narrow_for(void* library)
{
    *(void**)&comm_test_inter = dlsym(library, "PMPI_Comm_test_inter");
    *(void**)&comm_rank = dlsym(library, "PMPI_Comm_rank");
    *(void**)&comm_size = dlsym(library, "PMPI_Comm_size");
    *(void**)&comm_remote_size = dlsym(library, "PMPI_Comm_remote_size");
    *(void**)&comm_call_errhandler = dlsym(library, "PMPI_Comm_call_errhandler");
}

Narrowing laneway_narrow(Word comm)
{
    Narrowing call = {.comm = comm};
    if (comm_test_inter == NULL) return call; /* what is called next says so */
    call.code = comm_test_inter(comm, &call.is_inter);
    if (call.code == 0) call.code = comm_rank(comm, &call.rank);
    if (call.code == 0) call.code = comm_size(comm, &call.size);
    if (call.code != 0) return call;
    call.blocks = call.size;
    if (call.is_inter) call.code = comm_remote_size(comm, &call.blocks);
    return call;
}

void laneway_narrow_count(Narrowing* call, Word count)
{
    if (count != (int)count) call->too_large = 1;
}

int laneway_count_error(const Narrowing* call)
{
    comm_call_errhandler(call->comm, ERROR_COUNT);
    return ERROR_COUNT;
}

Word laneway_narrow_row(Narrowing* call, Word row, int blocks)
{
    const int64_t* const from = (const int64_t*)row;
    if (call->code != 0 || from == NULL || blocks == 0) return row;
    int* const to = malloc((size_t)blocks * sizeof *to);
    if (to == NULL) {
        fputs("laneway: no memory for the counts of a collective\n", stderr);
        abort(); /* the other ranks would wait for this one for ever */
    }
    call->rows[call->made++] = to;
    for (int i = 0; i < blocks; ++i) {
        to[i] = (int)from[i];
        laneway_narrow_count(call, from[i]);
    }
    return (Word)to;
}

int laneway_narrowed(Narrowing* call)
{
    while (call->made > 0) free(call->rows[--call->made]);
    return call->code;
}
