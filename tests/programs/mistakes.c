/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: mistakes blocking|nonblocking|persistent|vectors
 *
 * Every collective with every wrong argument that the library looks at. Laneway answers what the library
 * answers natively, the same error class, raised as often, on the same communicator. Prints `right`.
 * Calls that hang or crash natively are left out: see left_out(). */
#include <laneway.h>
#include <string.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define PMPI_INIT(Name) PMPIX_##Name##_init
#else
#define PMPI_INIT(Name) PMPI_##Name##_init
#endif

#include "check.h"

/* ---- the collectives --------------------------------------------------------------------------- */

struct Arguments {
    void* send;
    int sendcount;
    MPI_Datatype sendtype;
    void* recv;
    int recvcount;
    MPI_Datatype recvtype;
    MPI_Op op;
    int root;
    MPI_Comm comm;
};

enum { SEND = 1, RECV = 2, OP = 4, ROOT = 8 };

enum Form { BLOCKING, NONBLOCKING, PERSISTENT };
static const char* const forms[] = {"blocking", "nonblocking", "persistent"};

struct Collective {
    const char* name;
    int has;
    int at_root; /* arguments that are significant at the root alone */
    int (*native)(enum Form, const struct Arguments*, MPI_Request*);
    int (*ours)(enum Form, const char* algorithm, const struct Arguments*, MPI_Request*);
};

#define COLLECTIVE(name, Name, ...)                                                           \
    static int native_##name(enum Form form, const struct Arguments* a, MPI_Request* request) \
    {                                                                                         \
        if (form == NONBLOCKING) return PMPI_I##name(__VA_ARGS__, a->comm, request);          \
        if (form == PERSISTENT)                                                               \
            return PMPI_INIT(Name)(__VA_ARGS__, a->comm, MPI_INFO_NULL, request);             \
        return PMPI_##Name(__VA_ARGS__, a->comm);                                             \
    }                                                                                         \
    static int ours_##name(enum Form form, const char* algorithm, const struct Arguments* a,  \
                           MPI_Request* request)                                              \
    {                                                                                         \
        if (form == NONBLOCKING)                                                              \
            return laneway_i##name##_with(algorithm, __VA_ARGS__, a->comm, request);          \
        if (form == PERSISTENT)                                                               \
            return laneway_##name##_init_with(algorithm, __VA_ARGS__, a->comm, MPI_INFO_NULL, \
                                              request);                                       \
        return laneway_##name##_with(algorithm, __VA_ARGS__, a->comm);                        \
    }
#define SENT a->send, a->sendcount, a->sendtype
#define RECEIVED a->recv, a->recvcount, a->recvtype
#define REDUCED a->send, a->recv, a->sendcount, a->sendtype, a->op
COLLECTIVE(bcast, Bcast, SENT, a->root)
COLLECTIVE(scatter, Scatter, SENT, RECEIVED, a->root)
COLLECTIVE(gather, Gather, SENT, RECEIVED, a->root)
COLLECTIVE(allgather, Allgather, SENT, RECEIVED)
COLLECTIVE(alltoall, Alltoall, SENT, RECEIVED)
COLLECTIVE(reduce, Reduce, REDUCED, a->root)
COLLECTIVE(allreduce, Allreduce, REDUCED)
COLLECTIVE(reduce_scatter_block, Reduce_scatter_block, REDUCED)
COLLECTIVE(scan, Scan, REDUCED)
COLLECTIVE(exscan, Exscan, REDUCED)

#define ENTRY(name, has, at_root) {#name, has, at_root, native_##name, ours_##name}
static const struct Collective collectives[] = {
    ENTRY(bcast, SEND | ROOT, 0),
    ENTRY(scatter, SEND | RECV | ROOT, SEND),
    ENTRY(gather, SEND | RECV | ROOT, RECV),
    ENTRY(allgather, SEND | RECV, 0),
    ENTRY(alltoall, SEND | RECV, 0),
    ENTRY(reduce, SEND | RECV | OP | ROOT, RECV),
    ENTRY(allreduce, SEND | RECV | OP, 0),
    ENTRY(reduce_scatter_block, SEND | RECV | OP, 0),
    ENTRY(scan, SEND | RECV | OP, 0),
    ENTRY(exscan, SEND | RECV | OP, 0),
};

/* ---- the mistakes ------------------------------------------------------------------------------ */

static int rank, size;
static enum Form form = BLOCKING;
static MPI_Datatype uncommitted, pair;
static MPI_Op users;

static void nothing(void* in, void* inout, int* count, MPI_Datatype* type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

/* Handles that the library can see to be none: MPICH's tell of what kind they are, Open MPI's are
 * pointers. */
#ifdef MPICH
#define INVALID_TYPE ((MPI_Datatype)MPI_SUM)
#define INVALID_OP ((MPI_Op)MPI_INT)
#else
#define INVALID_TYPE ((MPI_Datatype)0)
#define INVALID_OP ((MPI_Op)0)
#endif

static void send_type_null(struct Arguments* a) { a->sendtype = MPI_DATATYPE_NULL; }
static void send_type_invalid(struct Arguments* a) { a->sendtype = INVALID_TYPE; }
static void send_type_uncommitted(struct Arguments* a) { a->sendtype = uncommitted; }
static void send_count_negative(struct Arguments* a) { a->sendcount = -1; }
static void send_at_null(struct Arguments* a) { a->send = NULL; }
static void recv_type_null(struct Arguments* a) { a->recvtype = MPI_DATATYPE_NULL; }
static void recv_type_invalid(struct Arguments* a) { a->recvtype = INVALID_TYPE; }
static void recv_type_uncommitted(struct Arguments* a) { a->recvtype = uncommitted; }
static void recv_count_negative(struct Arguments* a) { a->recvcount = -1; }
static void recv_at_null(struct Arguments* a) { a->recv = NULL; }
static void recv_in_place(struct Arguments* a) { a->recv = MPI_IN_PLACE; }
static void send_in_place(struct Arguments* a) { a->send = MPI_IN_PLACE; }
static void op_null(struct Arguments* a) { a->op = MPI_OP_NULL; }
static void op_invalid(struct Arguments* a) { a->op = INVALID_OP; }
static void op_of_bits_on_reals(struct Arguments* a)
{
    a->sendtype = MPI_DOUBLE;
    a->op = MPI_BAND;
}
static void op_of_numbers_on_pairs(struct Arguments* a) { a->sendtype = pair; }
static void op_of_users_on_uncommitted(struct Arguments* a)
{
    a->sendtype = uncommitted;
    a->op = users;
}
static void root_too_large(struct Arguments* a) { a->root = size; }
static void root_negative(struct Arguments* a) { a->root = -7; }
static void one_buffer(struct Arguments* a) { a->send = a->recv; }
static void own_block_of_recv(struct Arguments* a)
{
    a->send = (int*)a->recv + rank * a->recvcount;
}
static void own_block_of_send(struct Arguments* a)
{
    a->recv = (int*)a->send + rank * a->sendcount;
}

struct Mistake {
    const char* name;
    int about; /* the argument: the mistake is seen where it is significant */
    void (*make)(struct Arguments*);
    const char* only; /* collectives that it can be made in; null: all that have the argument */
};

#define REDUCTIONS "allreduce reduce_scatter_block scan exscan"
#define MISTAKE(name, about, only) {#name, about, name, only}
static const struct Mistake mistakes[] = {
    MISTAKE(send_type_null, SEND, NULL),
    MISTAKE(send_type_invalid, SEND, NULL),
    MISTAKE(send_type_uncommitted, SEND, NULL),
    MISTAKE(send_count_negative, SEND, NULL),
    MISTAKE(send_at_null, SEND, NULL),
    MISTAKE(recv_type_null, RECV, "scatter gather allgather alltoall"),
    MISTAKE(recv_type_invalid, RECV, "scatter gather allgather alltoall"),
    MISTAKE(recv_type_uncommitted, RECV, "scatter gather allgather alltoall"),
    MISTAKE(recv_count_negative, RECV, "scatter gather allgather alltoall"),
    MISTAKE(recv_at_null, RECV, NULL),
    MISTAKE(recv_in_place, RECV, "gather allgather alltoall reduce " REDUCTIONS),
    MISTAKE(send_in_place, SEND, "bcast scatter"),
    MISTAKE(op_null, OP, NULL),
    MISTAKE(op_invalid, OP, NULL),
    MISTAKE(op_of_bits_on_reals, OP, NULL),
    MISTAKE(op_of_numbers_on_pairs, OP, NULL),
    MISTAKE(op_of_users_on_uncommitted, OP, NULL),
    MISTAKE(root_too_large, ROOT, NULL),
    MISTAKE(root_negative, ROOT, NULL),
    MISTAKE(one_buffer, RECV, "alltoall reduce " REDUCTIONS),
    MISTAKE(own_block_of_recv, RECV, "gather allgather"),
    MISTAKE(own_block_of_send, SEND, "scatter"),
};

static int is_one_of(const char* name, const char* names)
{
    const size_t length = strlen(name);
    for (const char* at = names; at && (at = strstr(at, name)); at += length)
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return 1;
    return 0;
}

/* Mistakes that the library does not look at: natively the call crashes, or waits for the others. */
static int left_out(const char* collective, const char* mistake)
{
    static const char* const known[][2] = {
#ifdef MPICH
        /* In a broadcast of nothing it does not look at the type, and crashes. */
        {"bcast", "send_type_null send_in_place"},
        {"reduce " REDUCTIONS, "send_count_negative"},
#else
        {"bcast gather allgather alltoall scatter reduce " REDUCTIONS, "send_at_null recv_at_null"},
        {"reduce " REDUCTIONS, "send_type_invalid"},
        {"allreduce exscan", "op_invalid"},
        {"exscan", "recv_in_place"},
        {"scatter", "send_type_null send_type_invalid send_type_uncommitted send_count_negative"},
        {"scatter gather allgather", "recv_type_uncommitted own_block_of_send own_block_of_recv"},
        {"alltoall reduce_scatter_block", "one_buffer"},
#endif
    };
#ifndef MPICH
    /* It takes one buffer for both buffers of the root, which is alone in the call here. */
    if (form != BLOCKING && is_one_of(mistake, "one_buffer") && is_one_of(collective, "reduce"))
        return 1;
#endif
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (is_one_of(collective, known[i][0]) && is_one_of(mistake, known[i][1])) return 1;
    return 0;
}

/* ---- their answers ----------------------------------------------------------------------------- */

/* An answer: the error class, and how often it was raised where. */
struct Answer {
    int class, raised, raised_on_world;
};
static MPI_Comm comm;
static int raised, raised_on_world;

static void on_error(MPI_Comm* on, int* code, ...)
{
    (void)code;
    if (*on == comm) ++raised;
    if (*on == MPI_COMM_WORLD) ++raised_on_world;
}

static const char natively[] = "natively";

/* Completes a call that the library takes: nothing of it is left. */
static void complete(MPI_Request* request)
{
    if (form == NONBLOCKING) MPI_Wait(request, MPI_STATUS_IGNORE);
    if (form == PERSISTENT) MPI_Request_free(request);
}

static struct Answer answer(const struct Collective* collective, const char* algorithm,
                            const struct Arguments* arguments)
{
    struct Answer answer;
    MPI_Request request = MPI_REQUEST_NULL;
    raised = raised_on_world = 0;
    const int code = algorithm == natively ? collective->native(form, arguments, &request)
                                           : collective->ours(form, algorithm, arguments, &request);
    if (code == MPI_SUCCESS) complete(&request);
    MPI_Error_class(code, &answer.class);
    answer.raised = raised;
    answer.raised_on_world = raised_on_world;
    return answer;
}

static int wrong_answers = 0;

/* Returns whether the library rejects the call. */
static int compare(const struct Collective* collective, const struct Mistake* mistake, int count)
{
    static int send[64], recv[64];
    struct Arguments arguments = {send, count, MPI_INT, recv, count, MPI_INT, MPI_SUM, 1, comm};
    if (strcmp(collective->name, "gather") == 0 && rank != 1) arguments.recv = NULL;
    mistake->make(&arguments);

    const struct Answer expected = answer(collective, natively, &arguments);
    const char* const ways[] = {"lane", "hierarchical", NULL /* as LANEWAY_ALGORITHM says */};
    for (int i = 0; i < 3; ++i) {
        const struct Answer ours = answer(collective, ways[i], &arguments);
        if (memcmp(&ours, &expected, sizeof ours) == 0) continue;
        ++wrong_answers;
        printf(
            "rank %d: %s %s by %s, %s, count %d: class %d, raised %d and %d times; natively %d, %d "
            "and %d\n",
            rank, forms[form], collective->name, ways[i] ? ways[i] : "the settings", mistake->name,
            count, ours.class, ours.raised, ours.raised_on_world, expected.class, expected.raised,
            expected.raised_on_world);
        fflush(stdout);
    }
    return expected.class != MPI_SUCCESS;
}

/* Mistakes that Laneway sees before the processes of a communicator have agreed on anything. Then the others
 * need not be in the call, be it their first on it or not. */
static int at_a_glance(const char* mistake)
{
    return is_one_of(mistake,
                     "send_type_null recv_type_null send_count_negative recv_count_negative "
                     "recv_in_place op_null root_too_large root_negative one_buffer");
}

static void compare_alone_and_first(const struct Collective* collective,
                                    const struct Mistake* mistake, int count, int rejected)
{
    const MPI_Comm used = comm;
    MPI_Comm_dup(used, &comm);
    if (rank == 1 && rejected) compare(collective, mistake, count);
    MPI_Comm_free(&comm);
    comm = used;
}

static int cases = 0;

static void compare_all(void)
{
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; ++i) {
        const struct Collective* const collective = &collectives[i];
        for (size_t j = 0; j < sizeof mistakes / sizeof *mistakes; ++j) {
            const struct Mistake* const mistake = &mistakes[j];
            if (!(collective->has & mistake->about)) continue;
            if (mistake->only && !is_one_of(collective->name, mistake->only)) continue;
            if (left_out(collective->name, mistake->name)) continue;
            for (int count = 0; count <= 2; count += 2, ++cases) {
                const int rejected = (rank == 1 || !(collective->at_root & mistake->about)) &&
                                     compare(collective, mistake, count);
                if (at_a_glance(mistake->name))
                    compare_alone_and_first(collective, mistake, count, rejected);
            }
        }
    }
}

/* Vector collectives that Laneway only counts here: a communicator's first, and another. */
static void vectors(void)
{
    static int send[64], recv[64], counts[64], starts[64];
    for (int again = 0; again < 2; ++again) {
        int class;
        raised = raised_on_world = 0;
        MPI_Error_class(MPI_Allgatherv(send, 1, INVALID_TYPE, recv, counts, starts, MPI_INT, comm),
                        &class);
        CHECK(class == MPI_ERR_TYPE && raised == 1 && raised_on_world == 0);
        MPI_Error_class(MPI_Gatherv(send, 1, INVALID_TYPE, recv, counts, starts, MPI_INT, 0, comm),
                        &class);
        CHECK(class == MPI_ERR_TYPE && raised == 2 && raised_on_world == 0);
    }
    if (rank == 0) puts("right");
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    laneway_set_node(rank / 2);
    MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(nothing, 1, &users);

    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (argc > 1 && strcmp(argv[1], "vectors") == 0) {
        vectors();
        MPI_Finalize();
        return 0;
    }
    int data = 0;
    CHECK(laneway_bcast_with("lane", &data, 1, MPI_INT, 0, comm) == MPI_SUCCESS);
    CHECK(laneway_bcast(&data, 1, MPI_INT, 0, comm) == MPI_SUCCESS);
    CHECK(strcmp(laneway_served_by(comm), "lane") == 0);
    while (argc > 1 && strcmp(argv[1], forms[form]) != 0) ++form;
    compare_all();
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    compare_all();

    /* No mistake of MPI's. */
    int class;
    MPI_Comm_set_errhandler(comm, handler);
    raised = 0;
    MPI_Error_class(laneway_bcast_with("no such", &data, 1, MPI_INT, 0, comm), &class);
    CHECK(class == MPI_ERR_ARG && raised == 1);

    /* All is as before. */
    CHECK(laneway_bcast_with("lane", &data, 1, MPI_INT, 0, comm) == MPI_SUCCESS);
    int all = 0;
    MPI_Allreduce(&wrong_answers, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%d cases, %s\n", cases, all == 0 ? "right" : "wrong");
    MPI_Errhandler_free(&handler);
    MPI_Op_free(&users);
    MPI_Type_free(&uncommitted);
    MPI_Type_free(&pair);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
