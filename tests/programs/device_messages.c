/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: device_messages RUNTIME
 *
 * Broadcasts within a node. Then ranks 0 and 1 load the runtime of an accelerator, and pass memory that only the MPI
 * library can go to. It has no access, and MPI_Pack and MPI_Unpack find its contents elsewhere. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

enum { MOST = 1 << 20, BYTES = MOST * (int)sizeof(int) };
static char *device, *contents;

static char* found(const void* data)
{
    char* const place = (char*)data;
    return device && place >= device && place < device + BYTES ? contents + (place - device)
                                                               : place;
}

int PMPI_Pack(const void* data, int count, MPI_Datatype type, void* packed, int size, int* position,
              MPI_Comm comm)
{
    int (*const its)(const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm) = (int (*)(
        const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm))dlsym(RTLD_NEXT, "PMPI_Pack");
    return its(found(data), count, type, packed, size, position, comm);
}

int PMPI_Unpack(const void* packed, int size, int* position, void* data, int count,
                MPI_Datatype type, MPI_Comm comm)
{
    int (*const its)(const void*, int, int*, void*, int, MPI_Datatype, MPI_Comm) = (int (*)(
        const void*, int, int*, void*, int, MPI_Datatype, MPI_Comm))dlsym(RTLD_NEXT, "PMPI_Unpack");
    return its(packed, size, position, found(data), count, type, comm);
}

#if MPI_VERSION >= 4
int PMPI_Pack_c(const void* data, MPI_Count count, MPI_Datatype type, void* packed, MPI_Count size,
                MPI_Count* position, MPI_Comm comm)
{
    int (*const its)(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Count*, MPI_Comm) =
        (int (*)(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Count*,
                 MPI_Comm))dlsym(RTLD_NEXT, "PMPI_Pack_c");
    return its(found(data), count, type, packed, size, position, comm);
}

int PMPI_Unpack_c(const void* packed, MPI_Count size, MPI_Count* position, void* data,
                  MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    int (*const its)(const void*, MPI_Count, MPI_Count*, void*, MPI_Count, MPI_Datatype, MPI_Comm) =
        (int (*)(const void*, MPI_Count, MPI_Count*, void*, MPI_Count, MPI_Datatype,
                 MPI_Comm))dlsym(RTLD_NEXT, "PMPI_Unpack_c");
    return its(packed, size, position, found(data), count, type, comm);
}
#endif

static void broadcasts(int* data, int rank, int size)
{
    int* const here = (int*)found(data);
    for (int count = 1; count <= MOST; count *= 16)
        for (int root = 0; root < size; ++root) {
            for (int i = 0; i < count; ++i) here[i] = rank == root ? i + root : -1;
            CHECK(MPI_Bcast(data, count, MPI_INT, root, MPI_COMM_WORLD) == MPI_SUCCESS);
            for (int i = 0; i < count; ++i) CHECK(here[i] == i + root);
        }
}

int main(int argc, char** argv)
{
    static int host[MOST], others[MOST];
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(argc == 2);
    for (int time = 0; time < 4; ++time) broadcasts(host, rank, size); /* until they are known */
    if (rank < 2) {
        CHECK(dlopen(argv[1], RTLD_NOW) != NULL);
        contents = (char*)others;
        device = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(device != MAP_FAILED);
    }
    broadcasts(device ? (int*)device : host, rank, size);
    MPI_Finalize();
    if (rank == 0) printf("right\n");
    return 0;
}
