/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI functions that the preload takes the place of, each named once, for C and C++. A list is to be
 * read in a FORM, and gives a call of F for each function. F gets the name in MPI less `MPI_`, the name in the
 * C API less `laneway_`, the number of arguments, the communicator, and the narrowing. The last two tell which
 * argument the communicator is, and which arguments are counts that matter to the calling process. Arguments
 * are called a, b, c and so on. */
#ifndef LANEWAY_INTERPOSED_H
#define LANEWAY_INTERPOSED_H

/* The forms of a collective: blocking; nonblocking, with a request at the end; persistent, with an info
 * and a request. MPI 4 has all but the barrier a second time, for large counts, under the same name with
 * `_c`. All collectives but some of those of neighbours are served, in all forms. The others are counted for
 * the report, if one is wanted, and left to the library. */
#define LANEWAY_BLOCKING(F, ...) F(__VA_ARGS__)
#define LANEWAY_BLOCKING_C(F, name, lower, n, ...) F(name##_c, lower##_c, n, __VA_ARGS__)
#define LANEWAY_NONBLOCKING(F, name, lower, n, ...) \
    F(I##lower, i##lower, LANEWAY_1_MORE_THAN_##n, __VA_ARGS__)
#define LANEWAY_NONBLOCKING_C(F, name, lower, n, ...) \
    F(I##lower##_c, i##lower##_c, LANEWAY_1_MORE_THAN_##n, __VA_ARGS__)
#define LANEWAY_PERSISTENT(F, name, lower, n, ...) \
    F(name##_init, lower##_init, LANEWAY_2_MORE_THAN_##n, __VA_ARGS__)
#define LANEWAY_PERSISTENT_C(F, name, lower, n, ...) \
    F(name##_init_c, lower##_init_c, LANEWAY_2_MORE_THAN_##n, __VA_ARGS__)

#define LANEWAY_1_MORE_THAN_1 2
#define LANEWAY_1_MORE_THAN_5 6
#define LANEWAY_1_MORE_THAN_6 7
#define LANEWAY_1_MORE_THAN_7 8
#define LANEWAY_1_MORE_THAN_8 9
#define LANEWAY_1_MORE_THAN_9 10
#define LANEWAY_2_MORE_THAN_1 3
#define LANEWAY_2_MORE_THAN_5 7
#define LANEWAY_2_MORE_THAN_6 8
#define LANEWAY_2_MORE_THAN_7 9
#define LANEWAY_2_MORE_THAN_8 10
#define LANEWAY_2_MORE_THAN_9 11

/* Collectives whose counts are single numbers. */
#define LANEWAY_REGULAR(FORM, F)                                                     \
    FORM(F, Bcast, bcast, 5, e, COUNT(TAKES_PART(d), b))                             \
    FORM(F, Scatter, scatter, 8, h, COUNT(IS_ROOT(g), b); COUNT(HAS_BLOCK(g, d), e)) \
    FORM(F, Gather, gather, 8, h, COUNT(HAS_BLOCK(g, a), b); COUNT(IS_ROOT(g), e))   \
    FORM(F, Allgather, allgather, 7, g, COUNT(!IS_IN_PLACE(a), b); COUNT(1, e))      \
    FORM(F, Alltoall, alltoall, 7, g, COUNT(!IS_IN_PLACE(a), b); COUNT(1, e))        \
    FORM(F, Reduce, reduce, 7, g, COUNT(TAKES_PART(f), c))                           \
    FORM(F, Allreduce, allreduce, 6, f, COUNT(1, c))                                 \
    FORM(F, Reduce_scatter_block, reduce_scatter_block, 6, f, COUNT(1, c))           \
    FORM(F, Scan, scan, 6, f, COUNT(1, c))                                           \
    FORM(F, Exscan, exscan, 6, f, COUNT(1, c))

/* Collectives that take arrays of counts and displacements. */
#define LANEWAY_VECTOR(FORM, F)                                                          \
    FORM(F, Scatterv, scatterv, 9, i, COUNT(HAS_BLOCK(h, e), f); ROWS(IS_ROOT(h), b, c)) \
    FORM(F, Gatherv, gatherv, 9, i, COUNT(HAS_BLOCK(h, a), b); ROWS(IS_ROOT(h), e, f))   \
    FORM(F, Allgatherv, allgatherv, 8, h, COUNT(!IS_IN_PLACE(a), b); ROWS(1, e, f))      \
    FORM(F, Alltoallv, alltoallv, 9, i, ROWS(!IS_IN_PLACE(a), b, c); ROWS(1, f, g))      \
    FORM(F, Alltoallw, alltoallw, 9, i, ROWS(!IS_IN_PLACE(a), b, c); ROWS(1, f, g))      \
    FORM(F, Reduce_scatter, reduce_scatter, 6, f, ROW(call.size, c))

/* The collectives of neighbours in a topology that are served, and the others. */
#define LANEWAY_NEIGHBORS(FORM, F)                                              \
    FORM(F, Neighbor_alltoallv, neighbor_alltoallv, 9, i, ROW(DESTINATIONS, b); \
         ROW(DESTINATIONS, c); ROW(SOURCES, f); ROW(SOURCES, g))                \
    FORM(F, Neighbor_alltoallw, neighbor_alltoallw, 9, i, ROW(DESTINATIONS, b); ROW(SOURCES, f))
#define LANEWAY_NEIGHBORHOOD(FORM, F)                                                     \
    FORM(F, Neighbor_allgather, neighbor_allgather, 7, g, COUNT(1, b); COUNT(1, e))       \
    FORM(F, Neighbor_allgatherv, neighbor_allgatherv, 8, h, COUNT(1, b); ROW(SOURCES, e); \
         ROW(SOURCES, f))                                                                 \
    FORM(F, Neighbor_alltoall, neighbor_alltoall, 7, g, COUNT(1, b); COUNT(1, e))

#define LANEWAY_BARRIER(FORM, F) FORM(F, Barrier, barrier, 1, a, )

/* All collectives that have counts, and those of them that are served. */
#define LANEWAY_SERVED(FORM, F) \
    LANEWAY_REGULAR(FORM, F)    \
    LANEWAY_VECTOR(FORM, F)     \
    LANEWAY_NEIGHBORS(FORM, F)
#define LANEWAY_WITH_COUNTS(FORM, F) \
    LANEWAY_SERVED(FORM, F)          \
    LANEWAY_NEIGHBORHOOD(FORM, F)

/* The function that ends a session, in the libraries that have sessions (MPI_SESSION_NULL). */
#define LANEWAY_SESSIONS(FORM, F) FORM(F, Session_finalize, session_finalize, 1, , )

/* Functions that end a communicator: an agreement that is under way there must be over by then. */
#define LANEWAY_ENDS(FORM, F)            \
    FORM(F, Comm_free, comm_free, 1, , ) \
    FORM(F, Comm_disconnect, comm_disconnect, 1, , )

/* Functions that make a communicator without waiting. The processes' agreement must have begun by then, and
 * some libraries make no other communicator meanwhile. */
#define LANEWAY_DUPLICATES(FORM, F)       \
    FORM(F, Comm_idup, comm_idup, 3, a, ) \
    FORM(F, Comm_idup_with_info, comm_idup_with_info, 4, a, )

/* Functions that a program calls on the requests of operations that Laneway serves, and on the handles that
 * these use. (The program waits for them and tests them as it likes: they are requests of the library.) */
#define LANEWAY_REQUESTS(FORM, F)              \
    FORM(F, Start, start, 1, , )               \
    FORM(F, Startall, startall, 2, , )         \
    FORM(F, Request_free, request_free, 1, , ) \
    FORM(F, Cancel, cancel, 1, , )             \
    FORM(F, Op_free, op_free, 1, , )           \
    FORM(F, Type_free, type_free, 1, , )

/* Functions in which a program waits for requests, or asks whether they have ended. They matter to advice, learning
 * and the flight recorder alone. */
#define LANEWAY_COMPLETIONS(FORM, F)   \
    FORM(F, Wait, wait, 2, , )         \
    FORM(F, Test, test, 3, , )         \
    FORM(F, Waitall, waitall, 3, , )   \
    FORM(F, Waitany, waitany, 4, , )   \
    FORM(F, Waitsome, waitsome, 5, , ) \
    FORM(F, Testall, testall, 4, , )   \
    FORM(F, Testany, testany, 5, , )   \
    FORM(F, Testsome, testsome, 5, , )

#define LANEWAY_ALL(F)                            \
    LANEWAY_WITH_COUNTS(LANEWAY_BLOCKING, F)      \
    LANEWAY_WITH_COUNTS(LANEWAY_BLOCKING_C, F)    \
    LANEWAY_WITH_COUNTS(LANEWAY_NONBLOCKING, F)   \
    LANEWAY_WITH_COUNTS(LANEWAY_NONBLOCKING_C, F) \
    LANEWAY_WITH_COUNTS(LANEWAY_PERSISTENT, F)    \
    LANEWAY_WITH_COUNTS(LANEWAY_PERSISTENT_C, F)  \
    LANEWAY_BARRIER(LANEWAY_BLOCKING, F)          \
    LANEWAY_BARRIER(LANEWAY_NONBLOCKING, F)       \
    LANEWAY_BARRIER(LANEWAY_PERSISTENT, F)        \
    LANEWAY_ENDS(LANEWAY_BLOCKING, F)             \
    LANEWAY_DUPLICATES(LANEWAY_BLOCKING, F)       \
    LANEWAY_REQUESTS(LANEWAY_BLOCKING, F)         \
    LANEWAY_COMPLETIONS(LANEWAY_BLOCKING, F)      \
    LANEWAY_SESSIONS(LANEWAY_BLOCKING, F)

/* Further functions that the preload takes the place of where the flight recorder writes calls down. They make
 * communicators, and wait, or are messages that a process may wait for. */
#define LANEWAY_MAKERS(FORM, F)                                              \
    FORM(F, Comm_dup, comm_dup, 2, a, )                                      \
    FORM(F, Comm_dup_with_info, comm_dup_with_info, 3, a, )                  \
    FORM(F, Comm_create, comm_create, 3, a, )                                \
    FORM(F, Comm_create_group, comm_create_group, 4, a, )                    \
    FORM(F, Comm_split, comm_split, 4, a, )                                  \
    FORM(F, Comm_split_type, comm_split_type, 5, a, )                        \
    FORM(F, Cart_create, cart_create, 6, a, )                                \
    FORM(F, Cart_sub, cart_sub, 3, a, )                                      \
    FORM(F, Graph_create, graph_create, 6, a, )                              \
    FORM(F, Dist_graph_create, dist_graph_create, 9, a, )                    \
    FORM(F, Dist_graph_create_adjacent, dist_graph_create_adjacent, 10, a, ) \
    FORM(F, Intercomm_create, intercomm_create, 6, a, )                      \
    FORM(F, Intercomm_merge, intercomm_merge, 3, a, )
#define LANEWAY_MESSAGES(FORM, F)                       \
    FORM(F, Send, send, 6, f, )                         \
    FORM(F, Ssend, ssend, 6, f, )                       \
    FORM(F, Recv, recv, 7, f, )                         \
    FORM(F, Sendrecv, sendrecv, 12, k, )                \
    FORM(F, Sendrecv_replace, sendrecv_replace, 9, h, ) \
    FORM(F, Probe, probe, 4, c, )                       \
    FORM(F, Mprobe, mprobe, 5, c, )

#define LANEWAY_RECORDED(F)               \
    LANEWAY_MAKERS(LANEWAY_BLOCKING, F)   \
    LANEWAY_MESSAGES(LANEWAY_BLOCKING, F) \
    LANEWAY_BLOCKING(F, Finalize, finalize, 0, , )

#endif
