/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "api/mpi_in_words.h"

#include <dlfcn.h>
#include <string.h>

struct LanewayMpi laneway_mpi;

/* The address of an object of the library's. A program may hold its own copy of it, and then all use that. */
static Word object(void* library, const char* name)
{
    void* address = dlsym(RTLD_DEFAULT, name);
    return (Word)(address != NULL ? address : dlsym(library, name));
}

/* Integers of 32 bits, fixed by the binary interface. */
static void take_handles_of_mpich(void)
{
    laneway_mpi.handles_are_ints = 1;
    laneway_mpi.byte = 0x4c00010d;
    laneway_mpi.band = 0x58000006;
    laneway_mpi.comm_null = 0x04000000;
    laneway_mpi.comm_self = 0x44000001;
}

/* Small numbers as addresses (MPI 5.0, Appendix A). */
static void take_handles_of_the_standard(void)
{
    laneway_mpi.byte = 0x247;
    laneway_mpi.band = 0x28;
    laneway_mpi.comm_null = 0x100;
    laneway_mpi.comm_self = 0x102;
}

/* Addresses of objects in the library. */
static void take_handles_of_open_mpi(void* library)
{
    laneway_mpi.byte = object(library, "ompi_mpi_byte");
    laneway_mpi.band = object(library, "ompi_mpi_op_band");
    laneway_mpi.comm_null = object(library, "ompi_mpi_comm_null");
    laneway_mpi.comm_self = object(library, "ompi_mpi_comm_self");
}

void laneway_find_mpi(const Library* library)
{
    void* const handle = library->handle;
    *(void**)&laneway_mpi.initialized = dlsym(handle, "PMPI_Initialized");
    *(void**)&laneway_mpi.finalized = dlsym(handle, "PMPI_Finalized");
    *(void**)&laneway_mpi.comm_create_keyval = dlsym(handle, "PMPI_Comm_create_keyval");
    *(void**)&laneway_mpi.comm_free_keyval = dlsym(handle, "PMPI_Comm_free_keyval");
    *(void**)&laneway_mpi.comm_get_attr = dlsym(handle, "PMPI_Comm_get_attr");
    *(void**)&laneway_mpi.comm_set_attr = dlsym(handle, "PMPI_Comm_set_attr");
    *(void**)&laneway_mpi.comm_test_inter = dlsym(handle, "PMPI_Comm_test_inter");
    *(void**)&laneway_mpi.comm_size = dlsym(handle, "PMPI_Comm_size");
    *(void**)&laneway_mpi.iallreduce = dlsym(handle, "PMPI_Iallreduce");
    *(void**)&laneway_mpi.test = dlsym(handle, "PMPI_Test");
    *(void**)&laneway_mpi.wait = dlsym(handle, "PMPI_Wait");
    if (strcmp(library->family, "abi") == 0)
        take_handles_of_the_standard();
    else if (strcmp(library->family, "mpich") == 0)
        take_handles_of_mpich();
    else
        take_handles_of_open_mpi(handle);
}

int laneway_is_same(Word comm, Word other)
{
    return laneway_mpi.handles_are_ints ? (int)comm == (int)other : comm == other;
}

int laneway_is_null(Word comm) { return laneway_is_same(comm, laneway_mpi.comm_null); }

Word laneway_handle_at(const void* comm)
{
    if (comm == NULL) return laneway_mpi.comm_null;
    return laneway_mpi.handles_are_ints ? *(const int*)comm : *(const Word*)comm;
}

int laneway_world_is_there(void)
{
    int is_initialized = 0, is_finalized = 0;
    laneway_mpi.initialized(&is_initialized);
    laneway_mpi.finalized(&is_finalized);
    return is_initialized && !is_finalized;
}
