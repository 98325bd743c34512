/* SPDX-License-Identifier: BSD-3-Clause */
/* A profiling tool as others write them: counts the calls that it sees, and says so at the end. With NEXT it calls the
 * next function of the same name instead of the one that MPI has for tools. With BY_HANDLE it calls the function of
 * this name in the library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

#ifdef NEXT
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#elif defined(BY_HANDLE)
static void* find(const char* name)
{
    Dl_info library;
    dladdr(dlsym(RTLD_DEFAULT, "PMPI_Get_library_version"), &library);
    return dlsym(dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD), name);
}
#define REAL(name) ((__typeof__(&name))find(#name))
#else
#define REAL(name) P##name
#endif

static int bcasts, allreduces, allgathers, others;

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    ++bcasts;
    return REAL(MPI_Bcast)(buffer, count, datatype, root, comm);
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm)
{
    ++allreduces;
    return REAL(MPI_Allreduce)(sendbuf, recvbuf, count, datatype, op, comm);
}

int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    ++allgathers;
    return REAL(MPI_Allgather)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm)
{
    ++others;
    return REAL(MPI_Comm_split)(comm, color, key, newcomm);
}

int MPI_Finalize(void)
{
    printf("tool: %d bcasts, %d allreduces, %d allgathers, %d others\n", bcasts, allreduces,
           allgathers, others);
    fflush(stdout);
    return REAL(MPI_Finalize)();
}
