/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI functions that the preload takes the place of, each named once, for C and C++:
 * F(name in MPI, name in the C API less `laneway_`, number of arguments, ...). */
#ifndef LANEWAY_INTERPOSED_H
#define LANEWAY_INTERPOSED_H

/* Collectives whose counts are single numbers. MPI 4 has each of them a second time, for large
 * counts, under the same name with `_c`. The last argument tells where the counts stand, the
 * arguments being called a, b, c and so on. */
#define LANEWAY_COUNTED(F)                                    \
    F(Bcast, bcast, 5, FITS(b))                               \
    F(Scatter, scatter, 8, FITS(b) && FITS(e))                \
    F(Gather, gather, 8, FITS(b) && FITS(e))                  \
    F(Allgather, allgather, 7, FITS(b) && FITS(e))            \
    F(Alltoall, alltoall, 7, FITS(b) && FITS(e))              \
    F(Reduce, reduce, 7, FITS(c))                             \
    F(Allreduce, allreduce, 6, FITS(c))                       \
    F(Reduce_scatter_block, reduce_scatter_block, 6, FITS(c)) \
    F(Scan, scan, 6, FITS(c))                                 \
    F(Exscan, exscan, 6, FITS(c))

/* Those that take arrays of counts, or none. */
#define LANEWAY_OTHERS(F)                \
    F(Scatterv, scatterv, 9)             \
    F(Gatherv, gatherv, 9)               \
    F(Allgatherv, allgatherv, 8)         \
    F(Alltoallv, alltoallv, 9)           \
    F(Alltoallw, alltoallw, 9)           \
    F(Reduce_scatter, reduce_scatter, 6) \
    F(Barrier, barrier, 1)

/* What ends a session, in the libraries that have them (MPI_SESSION_NULL). */
#define LANEWAY_SESSIONS(F) F(Session_finalize, session_finalize, 1)

#endif
