/* SPDX-License-Identifier: BSD-3-Clause */
/* Nonblocking and persistent collectives as programs use them, under the preload or, with -DLINKED, by the C
 * API. The argument names what is tried; the results are checked here. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
/* GCC takes MPICH's MPI_STATUSES_IGNORE for a place that is too small. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#ifdef LINKED
#include <laneway.h>
#define IBCAST laneway_ibcast
#define IALLREDUCE laneway_iallreduce
#define IBARRIER laneway_ibarrier
#define BCAST_INIT laneway_bcast_init
#define ALLREDUCE_INIT laneway_allreduce_init
#define ALLREDUCE laneway_allreduce
#define BARRIER laneway_barrier
#else
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
#else
#define INIT(name) MPI_##name##_init
#endif
#define IBCAST MPI_Ibcast
#define IALLREDUCE MPI_Iallreduce
#define IBARRIER MPI_Ibarrier
#define BCAST_INIT INIT(Bcast)
#define ALLREDUCE_INIT INIT(Allreduce)
#define ALLREDUCE MPI_Allreduce
#define BARRIER MPI_Barrier
#endif

enum { length = 1000, rounds = 5 };

static int rank, size;

static int sum_of_ranks(void) { return size * (size - 1) / 2; }

static void fill(int* data, int value)
{
    for (int i = 0; i < length; ++i) data[i] = value + i;
}

static void check_sums(const int* sums, int times)
{
    for (int i = 0; i < length; ++i) CHECK(sums[i] == sum_of_ranks() + size * (i + times));
}

/* Every way to complete requests, ours among others. */
static void waits(void)
{
    int data[length], sums[3][length], letter = rank, received = -1, index, flag = 0, done, left;
    int indices[4];
    MPI_Request requests[4];
    MPI_Status statuses[4];
    const int next = (rank + 1) % size, last = (rank + size - 1) % size;
    for (int way = 0; way < 8; ++way) {
        memset(sums, 0, sizeof sums);
        received = -1;
        fill(data, rank + way);
        for (int i = 0; i < 3; ++i)
            IALLREDUCE(data, sums[i], length, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
        MPI_Irecv(&received, 1, MPI_INT, last, way, MPI_COMM_WORLD, &requests[3]);
        MPI_Send(&letter, 1, MPI_INT, next, way, MPI_COMM_WORLD);
        switch (way) {
        case 0:
            for (int i = 3; i >= 0; --i) CHECK(MPI_Wait(&requests[i], &statuses[i]) == MPI_SUCCESS);
            break;
        case 1:
            for (int i = 0; i < 4; ++i)
                for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
            break;
        case 2:
            CHECK(MPI_Waitall(4, requests, statuses) == MPI_SUCCESS);
            break;
        case 3:
            for (flag = 0; !flag;) MPI_Testall(4, requests, &flag, statuses);
            break;
        case 4:
            for (int i = 0; i < 4; ++i) MPI_Waitany(4, requests, &index, &statuses[0]);
            break;
        case 5:
            for (int i = 0; i < 4; i += flag != 0)
                MPI_Testany(4, requests, &index, &flag, MPI_STATUS_IGNORE);
            break;
        case 6:
            for (left = 4; left > 0; left -= done)
                MPI_Waitsome(4, requests, &done, indices, statuses);
            break;
        default:
            for (left = 4; left > 0; left -= done)
                MPI_Testsome(4, requests, &done, indices, statuses);
        }
        for (int i = 0; i < 4; ++i) CHECK(requests[i] == MPI_REQUEST_NULL);
        for (int i = 0; i < 3; ++i) check_sums(sums[i], way);
        CHECK(received == last);
    }
}

/* Persistent requests, started again and again, alone and with others, on data with gaps, too. */
static void persistent(void)
{
    int data[length], sums[length], spread[2 * length], letter = 0, received = 0;
    MPI_Request requests[4];
    MPI_Datatype every_other;
    const int next = (rank + 1) % size, last = (rank + size - 1) % size;
    MPI_Type_vector(length, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    ALLREDUCE_INIT(data, sums, length, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &requests[0]);
    BCAST_INIT(spread, 1, every_other, size - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Type_free(&every_other);
    MPI_Send_init(&letter, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Recv_init(&received, 1, MPI_INT, last, 0, MPI_COMM_WORLD, &requests[3]);
    for (int round = 0; round < rounds; ++round) {
        fill(data, rank + round);
        for (int i = 0; i < 2 * length; ++i) spread[i] = rank == size - 1 ? round + i : -1;
        letter = round;
        if (round % 2) {
            MPI_Startall(4, requests);
        } else {
            for (int i = 0; i < 4; ++i) MPI_Start(&requests[i]);
        }
        int sum = 0;
        ALLREDUCE(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CHECK(sum == sum_of_ranks());
        CHECK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        check_sums(sums, round);
        CHECK(received == round);
        for (int i = 0; i < length; ++i) {
            CHECK(spread[2 * i] == round + 2 * i);
            CHECK(rank == size - 1 || spread[2 * i + 1] == -1);
        }
        for (int i = 0; i < 4; ++i) CHECK(requests[i] != MPI_REQUEST_NULL);
    }
    for (int i = 0; i < 4; ++i) {
        CHECK(MPI_Request_free(&requests[i]) == MPI_SUCCESS);
        CHECK(requests[i] == MPI_REQUEST_NULL);
    }
    /* An operation that outlives its communicator, and one without data. */
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    BARRIER(comm);
    ALLREDUCE_INIT(data, sums, length, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[0]);
    BCAST_INIT(NULL, 0, MPI_INT, 0, comm, MPI_INFO_NULL, &requests[1]);
    MPI_Comm_free(&comm);
    for (int round = 0; round < rounds; ++round) {
        fill(data, rank + round);
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        check_sums(sums, round);
    }
    for (int i = 0; i < 2; ++i) CHECK(MPI_Request_free(&requests[i]) == MPI_SUCCESS);
}

/* One rank is blocked in a call that has nothing to do with the collective, which all others complete first. Its work
 * for them is done in that call. */
static void blocked_in(const char* call)
{
    int data[length], sums[length], letter = 0, window[1] = {0};
    const int one = size / 2, other = one == 0 ? size - 1 : 0;
    MPI_Request request;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Win win = MPI_WIN_NULL;
    MPI_File file;
    char name[64];
    snprintf(name, sizeof name, "blocked-in-%s.tmp", call);
    const int locks = strcmp(call, "win_lock") == 0, joins = strcmp(call, "intercomm_create") == 0;
    if (locks || strcmp(call, "fence") == 0 || strcmp(call, "win_free") == 0)
        MPI_Win_create(window, sizeof window, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (locks && rank == other) { /* the lock is there when something was done under it */
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win);
        MPI_Put(&letter, 1, MPI_INT, other, 0, 1, MPI_INT, win);
        MPI_Win_flush(other, win);
    }
    if (locks) MPI_Barrier(MPI_COMM_WORLD);
    if (joins) MPI_Comm_split(MPI_COMM_WORLD, rank == one, rank, &comm);
    fill(data, rank);
    IALLREDUCE(data, sums, length, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank != one) MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (strcmp(call, "recv") == 0) {
        if (rank == one) MPI_Recv(&letter, 1, MPI_INT, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == other) MPI_Send(&letter, 1, MPI_INT, one, 7, MPI_COMM_WORLD);
    } else if (strcmp(call, "ssend") == 0) {
        if (rank == one) MPI_Ssend(&letter, 1, MPI_INT, other, 7, MPI_COMM_WORLD);
        if (rank == other) MPI_Recv(&letter, 1, MPI_INT, one, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(call, "probe") == 0) {
        if (rank == one) {
            MPI_Probe(other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(&letter, 1, MPI_INT, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (rank == other) MPI_Send(&letter, 1, MPI_INT, one, 7, MPI_COMM_WORLD);
    } else if (strcmp(call, "mprobe") == 0) {
        if (rank == one) {
            MPI_Message message;
            MPI_Mprobe(other, 7, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            MPI_Mrecv(&letter, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        }
        if (rank == other) MPI_Send(&letter, 1, MPI_INT, one, 7, MPI_COMM_WORLD);
    } else if (strcmp(call, "barrier") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (locks) {
        if (rank == other) MPI_Win_unlock(other, win);
        if (rank == one) { /* libraries take a lock when they must: in the flush at the latest */
            const int one_more = 1;
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win);
            MPI_Put(&one_more, 1, MPI_INT, other, 0, 1, MPI_INT, win);
            MPI_Win_flush(other, win);
            MPI_Win_unlock(other, win);
        }
    } else if (joins) {
        MPI_Comm both;
        MPI_Intercomm_create(comm, 0, MPI_COMM_WORLD, rank == one ? other : one, 7, &both);
        MPI_Comm_free(&both);
        MPI_Comm_free(&comm);
    } else if (strcmp(call, "fence") == 0) {
        MPI_Win_fence(0, win);
    } else if (strcmp(call, "win_free") == 0) {
        MPI_Win_free(&win);
    } else if (strcmp(call, "comm_dup") == 0) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_free(&comm);
    } else if (strcmp(call, "comm_split") == 0) {
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
        MPI_Comm_free(&comm);
    } else if (strcmp(call, "file") == 0) {
        MPI_File_open(MPI_COMM_WORLD, name,
                      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file);
        MPI_File_write_all(file, &letter, 1, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_close(&file);
    } else {
        CHECK(strcmp(call, "test") == 0);
        for (int done = rank != one; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_sums(sums, 0);
    if (win != MPI_WIN_NULL) MPI_Win_free(&win);
}

static void blocked(void)
{
    static const char* const calls[] = {
        "test",     "recv",     "ssend",      "probe", "mprobe",   "barrier",         "fence",
        "win_free", "comm_dup", "comm_split", "file",  "win_lock", "intercomm_create"};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
        if (rank == 0) fprintf(stderr, "in %s\n", calls[i]);
        blocked_in(calls[i]);
    }
}

/* Whoever has done his part of operations ends MPI while the others have not begun theirs. */
static void finalized(void)
{
    static int data[64 * length], small[length];
    MPI_Request requests[2];
    if (rank > 0) {
        const struct timespec while_it_ends = {0, 300 * 1000 * 1000};
        nanosleep(&while_it_ends, NULL);
    }
    for (int i = 0; i < 64 * length; ++i) data[i] = rank == 0 ? i : -1;
    for (int i = 0; i < length; ++i) small[i] = rank == 0 ? -i : 1;
    IBCAST(data, 64 * length, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
    IBCAST(small, length, MPI_INT, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 64 * length; ++i) CHECK(data[i] == i);
    for (int i = 0; i < length; ++i) CHECK(small[i] == -i);
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type)
{
    int found = 0, mine = 1, got = 0, bytes = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&mine, 1, MPI_INT, 0, 3, &got, 1, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    CHECK(got == 1);
    MPI_Type_size(*type, &bytes); /* the handle is one */
    for (int i = 0; i < *count * bytes / (int)sizeof(int); ++i) ((int*)inout)[i] += ((int*)in)[i];
}

/* Objects that an operation uses are freed while it is under way; the operator calls MPI. */
static void freed(void)
{
    int data[length], sums[length];
    MPI_Request request;
    for (int round = 0; round < rounds; ++round) {
        MPI_Comm comm;
        MPI_Op op;
        MPI_Datatype pair;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        BARRIER(comm);
        MPI_Op_create(add, 1, &op);
        MPI_Type_contiguous(2, MPI_INT, &pair);
        MPI_Type_commit(&pair);
        fill(data, rank);
        IALLREDUCE(data, sums, length / 2, pair, op, comm, &request);
        MPI_Op_free(&op);
        MPI_Type_free(&pair);
        CHECK(op == MPI_OP_NULL && pair == MPI_DATATYPE_NULL);
        MPI_Comm_free(&comm);
        MPI_Op_create(add, 1, &op); /* another one does not get their places */
        MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &pair);
        CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        check_sums(sums, 0);
        MPI_Op_free(&op);
        MPI_Type_free(&pair);
    }
    MPI_Op op;
    MPI_Datatype pair;
    MPI_Op_create(add, 1, &op);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    ALLREDUCE_INIT(data, sums, length / 2, pair, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < rounds; ++round) {
        fill(data, rank + round);
        MPI_Start(&request);
        if (round == 1) MPI_Op_free(&op); /* once it has run, and under way */
        if (round == 1) MPI_Type_free(&pair);
        CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        check_sums(sums, round);
    }
    CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
}

static int starting, in_start;

static void add_while_starting(void* in, void* inout, int* count, MPI_Datatype* type)
{
    add(in, inout, count, type);
    in_start += starting;
}

/* Who starts last finds what the others have sent, and goes on with it in MPI_Start: the operator is called there.
 * (Open MPI has a longer message leave later.) */
static void started(void)
{
    enum { few = 16 };
    int data[length], sums[length];
    MPI_Request request;
    MPI_Op op;
    MPI_Op_create(add_while_starting, 1, &op);
    ALLREDUCE_INIT(data, sums, few, MPI_INT, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < 2 * size; ++round) {
        const int late = round % size;
        fill(data, rank + round);
        for (int other = 0; rank == late && other < size; ++other)
            if (other != late)
                MPI_Recv(NULL, 0, MPI_INT, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int looks = 0, found = 0; rank == late && looks < 1000; ++looks) /* all has come */
            MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        in_start = 0;
        starting = 1;
        CHECK(MPI_Start(&request) == MPI_SUCCESS);
        starting = 0;
        if (rank == late) CHECK(in_start > 0);
        if (rank != late) MPI_Send(NULL, 0, MPI_INT, late, 6, MPI_COMM_WORLD);
        CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (int i = 0; i < few; ++i) CHECK(sums[i] == sum_of_ranks() + size * (i + round));
    }
    CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
    MPI_Op_free(&op);
}

static int class_of(int code)
{
    int found = -1;
    MPI_Error_class(code, &found);
    return found;
}

/* Calls that MPI forbids. */
static void refused(void)
{
    int data[length], sums[length];
    MPI_Request request, kept;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    fill(data, rank);
    for (int other = 1; rank == 0 && other < size; other++)
        MPI_Recv(sums, 0, MPI_INT, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    IALLREDUCE(data, sums, length, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    kept = request;
    if (rank > 0) { /* rank 0 begins when all others have tried: until then it is under way */
        CHECK(class_of(MPI_Cancel(&request)) == MPI_ERR_REQUEST);
        CHECK(class_of(MPI_Request_free(&request)) == MPI_ERR_REQUEST);
        CHECK(request == kept);
        MPI_Send(sums, 0, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    check_sums(sums, 0);
}

static int handled;

static void handle_refusal(MPI_Comm* comm, int* code, ...)
{
    CHECK(*comm == MPI_COMM_SELF);
    CHECK(class_of(*code) == MPI_ERR_REQUEST);
    ++handled;
}

static void handle_nothing(MPI_Comm* comm, int* code, ...)
{
    (void)comm;
    (void)code;
    CHECK(!"the error handler of a communicator that has nothing to do with it");
}

/* Such calls once the communicator is freed, be its handle another one's by now. */
static void refused_and_freed(void)
{
    int data[length], sums[length];
    MPI_Request request;
    MPI_Comm comm, others[4];
    MPI_Errhandler self, nothing;
    MPI_Comm_create_errhandler(handle_refusal, &self);
    MPI_Comm_create_errhandler(handle_nothing, &nothing);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, self);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    BARRIER(comm);
    MPI_Comm_set_errhandler(comm, nothing);
    ALLREDUCE_INIT(data, sums, length, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    MPI_Comm_free(&comm);
    for (int i = 0; i < 4; ++i) {
        MPI_Comm_dup(MPI_COMM_SELF, &others[i]);
        MPI_Comm_set_errhandler(others[i], nothing);
    }
    fill(data, rank);
    for (int other = 1; rank == 0 && other < size; other++)
        MPI_Recv(sums, 0, MPI_INT, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Start(&request);
    if (rank > 0) { /* as above */
        CHECK(class_of(MPI_Cancel(&request)) == MPI_ERR_REQUEST);
        CHECK(class_of(MPI_Request_free(&request)) == MPI_ERR_REQUEST);
        CHECK(handled == 2);
        MPI_Send(sums, 0, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    check_sums(sums, 0);
    CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
    for (int i = 0; i < 4; ++i) MPI_Comm_free(&others[i]);
    MPI_Errhandler_free(&self);
    MPI_Errhandler_free(&nothing);
}

static void handle(MPI_Comm* comm, int* code, ...)
{
    CHECK(*comm == MPI_COMM_WORLD);
    CHECK(class_of(*code) == MPI_ERR_TRUNCATE || class_of(*code) == MPI_ERR_IN_STATUS);
    ++handled;
}

static void handle_for_self(MPI_Comm* comm, int* code, ...)
{
    CHECK(*comm == MPI_COMM_SELF);
    CHECK(class_of(*code) == MPI_ERR_TRUNCATE || class_of(*code) == MPI_ERR_IN_STATUS);
    ++handled;
}

/* Rank 0 sends more than the others take: those that it sends to learn of it when they complete the call. */
static void mistaken(void)
{
    static int data[100 * length];
    MPI_Request request;
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    const int count = rank == 0 ? 4 : 2;
    MPI_Request other;
    CHECK(IBCAST(data, count, MPI_INT, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    CHECK(IBCAST(data + length, count, MPI_INT, 0, MPI_COMM_WORLD, &other) == MPI_SUCCESS);
    const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    const int others = MPI_Wait(&other, MPI_STATUS_IGNORE);
    CHECK((code == MPI_SUCCESS) == (others == MPI_SUCCESS));
    CHECK((handled > 0) == (code != MPI_SUCCESS));
    CHECK(code == MPI_SUCCESS || class_of(code) == MPI_ERR_TRUNCATE);
    int all = 0;
    MPI_Allreduce(&handled, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all > 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void handle_for_copy(MPI_Comm* comm, int* code, ...)
{
    CHECK(*comm != MPI_COMM_WORLD && *comm != MPI_COMM_SELF);
    CHECK(class_of(*code) == MPI_ERR_TRUNCATE || class_of(*code) == MPI_ERR_IN_STATUS);
    ++handled;
}

/* A copy of the world, decomposed, whose error handler is that for copies. */
static MPI_Comm handled_copy(MPI_Errhandler* handler)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    BARRIER(comm);
    MPI_Comm_create_errhandler(handle_for_copy, handler);
    MPI_Comm_set_errhandler(comm, *handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* MPICH calls it for any request */
    return comm;
}

/* Persistent requests that have failed before MPI_Start returns: the call that completes them says so. Requests that
 * begin afterwards may get their place. */
static void mistaken_at_start(void)
{
    int data[length], sums[length];
    MPI_Request request, next;
    MPI_Errhandler handler;
    MPI_Comm comm = handled_copy(&handler);
    int all = 0;
    BCAST_INIT(data, rank == 0 ? 4 : 2, MPI_INT, 0, comm, MPI_INFO_NULL, &request);
    for (int round = 0; round < rounds; ++round) {
        handled = 0;
        if (rank > 0) MPI_Recv(NULL, 0, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (request != MPI_REQUEST_NULL) CHECK(MPI_Start(&request) == MPI_SUCCESS);
        CHECK(handled == 0);
        for (int other = 1; rank == 0 && other < size; ++other)
            MPI_Send(NULL, 0, MPI_INT, other, 8, MPI_COMM_WORLD);
        const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(handled == (code != MPI_SUCCESS));
        CHECK(code == MPI_SUCCESS || class_of(code) == MPI_ERR_TRUNCATE);
        MPI_Allreduce(&handled, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CHECK(all > 0);
        fill(data, rank);
        CHECK(IALLREDUCE(data, sums, length, MPI_INT, MPI_SUM, comm, &next) == MPI_SUCCESS);
        CHECK(MPI_Wait(&next, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        check_sums(sums, 0);
#ifdef OPEN_MPI /* which frees requests that fail */
        CHECK((request == MPI_REQUEST_NULL) == (code != MPI_SUCCESS));
        break;
#endif
    }
    if (request != MPI_REQUEST_NULL) CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
    MPI_Comm_free(&comm);
    MPI_Errhandler_free(&handler);
}

/* A request fails on a communicator that is freed before the call is completed: its error handler is no more. */
static void mistaken_and_freed(void)
{
    static int data[4];
    int found = 0;
    MPI_Request request;
    MPI_Errhandler handler;
    MPI_Comm comm;
    MPI_Comm_create_errhandler(handle_for_self, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* MPICH calls it for any request */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    BARRIER(comm);
    CHECK(IBCAST(data, rank == 0 ? 4 : 2, MPI_INT, 0, comm, &request) == MPI_SUCCESS);
    for (int looks = 0; looks < 1000; ++looks) /* it fails meanwhile */
        MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    BARRIER(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    handled = 0;
    const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(code == MPI_SUCCESS || class_of(code) == MPI_ERR_TRUNCATE);
#ifdef OPEN_MPI /* MPICH calls a handler as soon as the operation has failed */
    CHECK(handled == (code != MPI_SUCCESS));
#endif
    CHECK(request == MPI_REQUEST_NULL);
    int failed = code != MPI_SUCCESS, all = 0;
    MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all > 0);
    MPI_Errhandler_free(&handler);
}

/* A blocking call fails while another that has failed before is not completed yet: each says so itself. */
static void mistaken_beside(void)
{
    static int data[2 * length];
    int found = 0;
    const int count = rank == 0 ? 4 : 2;
    MPI_Request request;
    MPI_Errhandler handler;
    MPI_Comm comm = handled_copy(&handler);
    CHECK(IBCAST(data, count, MPI_INT, 0, comm, &request) == MPI_SUCCESS);
    for (int looks = 0; looks < 1000; ++looks) /* it fails meanwhile */
        MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    BARRIER(MPI_COMM_WORLD);
    handled = 0;
    const int blocking = MPI_Bcast(data + length, count, MPI_INT, 0, comm);
    CHECK((blocking != MPI_SUCCESS) == (rank > 0));
    CHECK(handled == (blocking != MPI_SUCCESS));
    handled = 0;
    const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
#ifdef OPEN_MPI /* MPICH calls a handler as soon as the operation has failed */
    CHECK(handled == (code != MPI_SUCCESS));
#endif
    int failed = code != MPI_SUCCESS, all = 0;
    MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all > 0);
    MPI_Comm_free(&comm);
    MPI_Errhandler_free(&handler);
}

/* Persistent requests until there are no tags left for more: the others are the library's, and all work. */
static void without_tags(void)
{
    enum { all = 2500 };
    static MPI_Request requests[all];
    int data[length], sums[length];
    for (int i = 0; i < all; ++i)
        ALLREDUCE_INIT(data, sums, length, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[i]);
    for (int i = 0; i < all; i += all / 50) {
        fill(data, rank + i);
        MPI_Start(&requests[i]);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        check_sums(sums, i);
    }
    for (int i = 0; i < all; ++i) MPI_Request_free(&requests[i]);
}

/* Many requests at a time, of several sizes, completed in another order, with blocking calls between them. */
static void many(void)
{
    enum { at_once = 60 };
    static int data[at_once][length], sums[at_once][length];
    MPI_Request requests[at_once];
    for (int i = 0; i < at_once; ++i) {
        fill(data[i], rank + i);
        if (i % 3 == 0)
            IALLREDUCE(data[i], sums[i], length, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
        else if (i % 3 == 1)
            IBCAST(data[i], i, MPI_INT, i % size, MPI_COMM_WORLD, &requests[i]);
        else
            IBARRIER(MPI_COMM_WORLD, &requests[i]);
        int sum = 0;
        if (i % 10 == 5) ALLREDUCE(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    for (int i = 0; i < at_once; ++i)
        MPI_Wait(&requests[(i * 7 + rank) % at_once], MPI_STATUS_IGNORE);
    for (int i = 0; i < at_once; ++i) {
        if (i % 3 == 0) check_sums(sums[i], i);
        for (int j = 0; i % 3 == 1 && j < i; ++j) CHECK(data[i][j] == i % size + i + j);
    }
}

static void* thread(void* argument)
{
    MPI_Comm comm = *(MPI_Comm*)argument;
    int data[length], sums[length];
    for (int round = 0; round < 20 * rounds; ++round) {
        MPI_Request requests[2];
        fill(data, rank + round);
        IALLREDUCE(data, sums, length, MPI_INT, MPI_SUM, comm, &requests[0]);
        IBARRIER(comm, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        check_sums(sums, round);
    }
    return NULL;
}

static void* wait_for_one(void* request)
{
    CHECK(MPI_Wait(request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    return NULL;
}

/* On one communicator: a thread waits for what another one has begun, which makes blocking calls meanwhile. */
static void waiting_thread(void)
{
    int data[length], sums[length], more[length];
    fill(data, rank);
    for (int round = 0; round < 40 * rounds; ++round) {
        MPI_Request request;
        pthread_t other;
        IALLREDUCE(data, sums, length, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        pthread_create(&other, NULL, wait_for_one, &request);
        for (int i = 0; i < rounds; ++i) {
            ALLREDUCE(data, more, length, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            check_sums(more, 0);
        }
        pthread_join(other, NULL);
        check_sums(sums, 0);
    }
}

static void threads(void)
{
    MPI_Comm comms[3];
    pthread_t others[3];
    for (int i = 0; i < 3; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        BARRIER(comms[i]);
    }
    for (int i = 0; i < 3; ++i) pthread_create(&others[i], NULL, thread, &comms[i]);
    for (int i = 0; i < 3; ++i) pthread_join(others[i], NULL);
    for (int i = 0; i < 3; ++i) MPI_Comm_free(&comms[i]);
    waiting_thread();
}

int main(int argc, char** argv)
{
    const char* const what = argc > 1 ? argv[1] : "";
    const int wanted = strcmp(what, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    int provided;
    MPI_Init_thread(&argc, &argv, wanted, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    BARRIER(MPI_COMM_WORLD);
    if (strcmp(what, "waits") == 0) waits();
    if (strcmp(what, "persistent") == 0) persistent();
    if (strcmp(what, "blocked") == 0) blocked();
    if (strcmp(what, "finalized") == 0) finalized();
    if (strcmp(what, "freed") == 0) freed();
    if (strcmp(what, "started") == 0) started();
    if (strcmp(what, "refused") == 0) refused();
    if (strcmp(what, "refused_and_freed") == 0) refused_and_freed();
    if (strcmp(what, "mistaken") == 0) mistaken();
    if (strcmp(what, "mistaken_at_start") == 0) mistaken_at_start();
    if (strcmp(what, "mistaken_and_freed") == 0) mistaken_and_freed();
    if (strcmp(what, "mistaken_beside") == 0) mistaken_beside();
    if (strcmp(what, "without_tags") == 0) without_tags();
    if (strcmp(what, "many") == 0) many();
    if (strcmp(what, "threads") == 0 && provided == wanted) threads();
    MPI_Finalize();
    if (rank == 0) puts("done");
    return 0;
}
