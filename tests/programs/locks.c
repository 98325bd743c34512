/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: locks LEVEL
 * Requests under way in a process whose threads may call MPI as LEVEL says: single, serialized or multiple. Prints how
 * many mutexes Laneway has locked for them on rank 0, if it is some or none on all. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "check.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define ALLREDUCE_INIT MPIX_Allreduce_init
#else
#define ALLREDUCE_INIT MPI_Allreduce_init
#endif

static int counting, locked;

static void count(const void* caller)
{
    Dl_info from;
    if (counting && dladdr(caller, &from) != 0 && strstr(from.dli_fname, "liblaneway") != NULL)
        ++locked;
}

int pthread_mutex_lock(pthread_mutex_t* mutex)
{
    static int (*lock)(pthread_mutex_t*);
    if (lock == NULL) *(void**)&lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    count(__builtin_return_address(0));
    return lock(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t* mutex)
{
    static int (*lock)(pthread_mutex_t*);
    if (lock == NULL) *(void**)&lock = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
    count(__builtin_return_address(0));
    return lock(mutex);
}

int main(int argc, char** argv)
{
    const char* const level = argc > 1 ? argv[1] : "single";
    const int wanted = strcmp(level, "multiple") == 0     ? MPI_THREAD_MULTIPLE
                       : strcmp(level, "serialized") == 0 ? MPI_THREAD_SERIALIZED
                                                          : MPI_THREAD_SINGLE;
    int provided, rank, size, ones[16], sums[16];
    for (int i = 0; i < 16; ++i) ones[i] = 1;
    MPI_Init_thread(&argc, &argv, wanted, &provided);
    CHECK(provided >= wanted);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD); /* from here on all agree on the settings */
    MPI_Request request, restarted;
    ALLREDUCE_INIT(ones, sums, 16, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &restarted);
    for (int round = 0; round < 10; ++round) {
        MPI_Iallreduce(ones, sums, 16, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(sums[15] == size);
        sums[15] = 0;
        MPI_Start(&restarted);
        MPI_Wait(&restarted, MPI_STATUS_IGNORE);
        CHECK(sums[15] == size);
        counting = round > 0; /* the first round makes what later ones have */
    }
    counting = 0;
    int some = locked > 0, all = 0;
    MPI_Allreduce(&some, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all == 0 || all == size);
    MPI_Request_free(&restarted);
    MPI_Finalize();
    if (rank == 0) printf("%d\n", locked);
    return 0;
}
