/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/narrowing.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static int (*comm_test_inter)(Word, int*);
static int (*comm_rank)(Word, int*);
static int (*comm_size)(Word, int*);
static int (*comm_remote_size)(Word, int*);
static int (*comm_call_errhandler)(Word, int);
static int (*topo_test)(Word, int*);
static int (*cartdim_get)(Word, int*);
static int (*graph_neighbors_count)(Word, int, int*);
static int (*dist_graph_neighbors_count)(Word, int*, int*, int*);

/* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH */
static struct {
    int cart, graph, dist_graph;
} topologies = {.cart = 2, .graph = 1, .dist_graph = 3}; /* MPICH's */

void laneway_narrow_for(void* library)
{
    *(void**)&comm_test_inter = dlsym(library, "PMPI_Comm_test_inter");
    *(void**)&comm_rank = dlsym(library, "PMPI_Comm_rank");
    *(void**)&comm_size = dlsym(library, "PMPI_Comm_size");
    *(void**)&comm_remote_size = dlsym(library, "PMPI_Comm_remote_size");
    *(void**)&comm_call_errhandler = dlsym(library, "PMPI_Comm_call_errhandler");
    *(void**)&topo_test = dlsym(library, "PMPI_Topo_test");
    *(void**)&cartdim_get = dlsym(library, "PMPI_Cartdim_get");
    *(void**)&graph_neighbors_count = dlsym(library, "PMPI_Graph_neighbors_count");
    *(void**)&dist_graph_neighbors_count = dlsym(library, "PMPI_Dist_graph_neighbors_count");
    /* Libraries of the standard ABI have all functions with large counts: nothing is narrowed there. */
    if (dlsym(library, "ompi_mpi_comm_world") != NULL) { /* Open MPI's */
        topologies.cart = 1;
        topologies.graph = 2;
    }
}

Narrowing laneway_narrow(Word comm)
{
    Narrowing call = {.comm = comm};
    if (comm_test_inter == NULL) return call; /* the next call of MPI says so */
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

Neighbors laneway_neighbors(const Narrowing* call)
{
    Neighbors found = {0, 0};
    int topology = 0, weighted = 0;
    if (call->code != 0 || topo_test == NULL || topo_test(call->comm, &topology) != 0) return found;
    if (topology == topologies.dist_graph) {
        dist_graph_neighbors_count(call->comm, &found.sources, &found.destinations, &weighted);
        return found;
    }
    int count = 0;
    if (topology == topologies.graph) graph_neighbors_count(call->comm, call->rank, &count);
    if (topology == topologies.cart && cartdim_get(call->comm, &count) == 0) count *= 2;
    return (Neighbors){count, count};
}

int laneway_count_error(const Narrowing* call)
{
    if (comm_call_errhandler != NULL) comm_call_errhandler(call->comm, ERROR_COUNT);
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

int laneway_narrowed(Narrowing* call, Lives lives)
{
    /* Libraries without large counts read these arrays before they return. They need not: those of the
     * latest calls are kept, far more than are ever under way. */
    static int* _Atomic kept[1024];
    static atomic_uint next;
    if (call->code != 0) lives = UNTIL_DONE; /* there is no request */
    while (call->made > 0 && lives != FOR_EVER) {
        int* row = call->rows[--call->made];
        if (lives == WHILE_UNDER_WAY)
            row = atomic_exchange(&kept[atomic_fetch_add(&next, 1) % 1024], row);
        free(row);
    }
    return call->code;
}
