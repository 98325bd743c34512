/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI functions that the preload takes the place of, each named once, for C and C++:
 * F(name in MPI, name in the C API less `laneway_`, number of arguments, ...). */
#ifndef LANEWAY_INTERPOSED_H
#define LANEWAY_INTERPOSED_H

/* Collectives whose counts are single numbers. MPI 4 has each of them a second time, for large
 * counts, under the same name with `_c`. The last arguments tell which one the communicator is, and
 * which ones are counts, where they matter to the calling process; they are called a, b, c and so on. */
#define LANEWAY_COUNTED(F)                                                     \
    F(Bcast, bcast, 5, e, COUNT(1, b))                                         \
    F(Scatter, scatter, 8, h, COUNT(IS_ROOT(g), b); COUNT(HAS_BLOCK(g, d), e)) \
    F(Gather, gather, 8, h, COUNT(HAS_BLOCK(g, a), b); COUNT(IS_ROOT(g), e))   \
    F(Allgather, allgather, 7, g, COUNT(!IS_IN_PLACE(a), b); COUNT(1, e))      \
    F(Alltoall, alltoall, 7, g, COUNT(!IS_IN_PLACE(a), b); COUNT(1, e))        \
    F(Reduce, reduce, 7, g, COUNT(1, c))                                       \
    F(Allreduce, allreduce, 6, f, COUNT(1, c))                                 \
    F(Reduce_scatter_block, reduce_scatter_block, 6, f, COUNT(1, c))           \
    F(Scan, scan, 6, f, COUNT(1, c))                                           \
    F(Exscan, exscan, 6, f, COUNT(1, c))

/* Those that take arrays of counts and displacements, and have a form for large ones, too: Laneway has
 * no algorithm for them. */
#define LANEWAY_VECTOR(F)                                                          \
    F(Scatterv, scatterv, 9, i, COUNT(HAS_BLOCK(h, e), f); ROWS(IS_ROOT(h), b, c)) \
    F(Gatherv, gatherv, 9, i, COUNT(HAS_BLOCK(h, a), b); ROWS(IS_ROOT(h), e, f))   \
    F(Allgatherv, allgatherv, 8, h, COUNT(!IS_IN_PLACE(a), b); ROWS(1, e, f))      \
    F(Alltoallv, alltoallv, 9, i, ROWS(!IS_IN_PLACE(a), b, c); ROWS(1, f, g))      \
    F(Alltoallw, alltoallw, 9, i, ROWS(!IS_IN_PLACE(a), b, c); ROWS(1, f, g))      \
    F(Reduce_scatter, reduce_scatter, 6, f, ROW_OF_GROUP(c))

#define LANEWAY_OTHERS(F) LANEWAY_VECTOR(F) F(Barrier, barrier, 1)

/* Those that are counted for the report, if one is wanted, and left to the library. */
#define LANEWAY_NONBLOCKING(F)                         \
    F(Ibarrier, ibarrier, 2)                           \
    F(Ibcast, ibcast, 6)                               \
    F(Iscatter, iscatter, 9)                           \
    F(Iscatterv, iscatterv, 10)                        \
    F(Igather, igather, 9)                             \
    F(Igatherv, igatherv, 10)                          \
    F(Iallgather, iallgather, 8)                       \
    F(Iallgatherv, iallgatherv, 9)                     \
    F(Ialltoall, ialltoall, 8)                         \
    F(Ialltoallv, ialltoallv, 10)                      \
    F(Ialltoallw, ialltoallw, 10)                      \
    F(Ireduce, ireduce, 8)                             \
    F(Iallreduce, iallreduce, 7)                       \
    F(Ireduce_scatter, ireduce_scatter, 7)             \
    F(Ireduce_scatter_block, ireduce_scatter_block, 7) \
    F(Iscan, iscan, 7)                                 \
    F(Iexscan, iexscan, 7)                             \
    F(Ineighbor_allgather, ineighbor_allgather, 8)     \
    F(Ineighbor_allgatherv, ineighbor_allgatherv, 9)   \
    F(Ineighbor_alltoall, ineighbor_alltoall, 8)       \
    F(Ineighbor_alltoallv, ineighbor_alltoallv, 10)    \
    F(Ineighbor_alltoallw, ineighbor_alltoallw, 10)
#define LANEWAY_NEIGHBORHOOD(F)                    \
    F(Neighbor_allgather, neighbor_allgather, 7)   \
    F(Neighbor_allgatherv, neighbor_allgatherv, 8) \
    F(Neighbor_alltoall, neighbor_alltoall, 7)     \
    F(Neighbor_alltoallv, neighbor_alltoallv, 9)   \
    F(Neighbor_alltoallw, neighbor_alltoallw, 9)

/* What ends a session, in the libraries that have them (MPI_SESSION_NULL). */
#define LANEWAY_SESSIONS(F) F(Session_finalize, session_finalize, 1)

#endif
