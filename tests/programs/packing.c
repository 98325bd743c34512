/* SPDX-License-Identifier: BSD-3-Clause */
/* When elements with gaps are packed and unpacked. This program has the functions by which Laneway does so, sends and
 * receives, and notes their order in a broadcast by segments. Says for each form of the call whether the root began a
 * message before it had packed all. Says also whether others unpacked before they had begun all of theirs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <laneway.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* An element: an int, a gap, an int, a gap. */
enum { elements = 4096, ints = 4 };

static MPI_Datatype spaced;
static int calls, first_message, last_message, first_unpacked, last_packed;

static void note(int* first, int* last)
{
    ++calls;
    if (first && *first == 0) *first = calls;
    if (last) *last = calls;
}

#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

int PMPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request)
{
    if (count > 0) note(&first_message, &last_message);
    return REAL(PMPI_Isend)(data, count, type, to, tag, comm, request);
}

int PMPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
               MPI_Request* request)
{
    if (count > 0) note(&first_message, &last_message);
    return REAL(PMPI_Irecv)(data, count, type, from, tag, comm, request);
}

#if MPI_VERSION >= 4
int PMPI_Pack_c(const void* data, MPI_Count count, MPI_Datatype type, void* packed, MPI_Count room,
                MPI_Count* position, MPI_Comm comm)
{
    if (type == spaced) note(NULL, &last_packed);
    return REAL(PMPI_Pack_c)(data, count, type, packed, room, position, comm);
}

int PMPI_Unpack_c(const void* packed, MPI_Count length, MPI_Count* position, void* data,
                  MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    if (type == spaced) note(&first_unpacked, NULL);
    return REAL(PMPI_Unpack_c)(packed, length, position, data, count, type, comm);
}
#else
int PMPI_Pack(const void* data, int count, MPI_Datatype type, void* packed, int room, int* position,
              MPI_Comm comm)
{
    if (type == spaced) note(NULL, &last_packed);
    return REAL(PMPI_Pack)(data, count, type, packed, room, position, comm);
}

int PMPI_Unpack(const void* packed, int length, int* position, void* data, int count,
                MPI_Datatype type, MPI_Comm comm)
{
    if (type == spaced) note(&first_unpacked, NULL);
    return REAL(PMPI_Unpack)(packed, length, position, data, count, type, comm);
}
#endif

static int rank;
static int data[elements * ints];

static void begin(int round)
{
    for (int at = 0; at < elements * ints; ++at)
        data[at] = rank == 0 || at % 2 == 1 ? at + round : -1;
    MPI_Barrier(MPI_COMM_WORLD);
    calls = first_message = last_message = first_unpacked = last_packed = 0;
}

static void end(const char* form, int round)
{
    /* Between processes of a node messages go through memory. */
    const int packs_on = first_message > 0 && first_message < last_packed;
    const int unpacks_before =
        last_message == 0 || (first_unpacked > 0 && first_unpacked < last_message);
    int right = rank == 0 ? packs_on : unpacks_before;
    int all = 0;
    for (int at = 0; at < elements * ints; ++at) right = right && data[at] == at + round;
    MPI_Reduce(&right, &all, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%s: %s\n", form, all ? "by segments" : "not by segments");
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype type;
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_create_resized(type, 0, ints * (MPI_Aint)sizeof(int), &spaced);
    MPI_Type_commit(&spaced);
    laneway_decompose(MPI_COMM_WORLD);

    begin(1);
    laneway_bcast(data, elements, spaced, 0, MPI_COMM_WORLD);
    end("blocking", 1);

    begin(2);
    MPI_Request request;
    laneway_ibcast(data, elements, spaced, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    end("nonblocking", 2);

    laneway_bcast_init(data, elements, spaced, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 3; round < 5; ++round) {
        begin(round);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        end("persistent", round);
    }
    MPI_Request_free(&request);
    MPI_Type_free(&spaced);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
