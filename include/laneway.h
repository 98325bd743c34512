/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file laneway.h
 * @brief The C API of Laneway: MPI collectives for nodes with several network lanes.
 *
 * NAME
 *     laneway - collective operations with the arguments of MPI, served by multi-lane algorithms
 *
 * SYNOPSIS
 *     #include <mpi.h>
 *     #include <laneway.h>
 *     mpicc app.c -llaneway
 *
 * DESCRIPTION
 *     laneway_bcast() and its sisters take the arguments of the MPI function they are named after,
 *     mean the same and may be called wherever it may be called: by all processes of a communicator,
 *     in the same order, with any datatype, operator, root and MPI_IN_PLACE. Which algorithm serves
 *     a call is decided by the settings below; the default is `native`, the MPI library itself.
 *     The `_with` forms name the algorithm instead; all processes must pass the same name.
 *
 *     A call that the chosen algorithm cannot serve (an inter-communicator, a communicator of one
 *     process, a requirement of the algorithm that does not hold, no communicator left) is served by
 *     the one that stands in for it, at last natively: the result is always that of the MPI function.
 *
 * ENVIRONMENT
 *     Read once, and agreed between the processes of a communicator at its first collective call,
 *     which waits for all of them: where processes differ, those of rank 0 of that communicator hold.
 *     (Programs under the preload wait less: docs/interposition.md.)
 *
 *     LANEWAY             `off`: everything is served natively.
 *     LANEWAY_PROFILE     Profiles, separated by colons: files of rules that choose algorithms by
 *                         collective, shape and bytes (docs/profiles.md). Later ones win.
 *     LANEWAY_PROFILE_DIR The folder whose *.conf are read before them; empty: none. Default:
 *                         etc/laneway of the installation.
 *     LANEWAY_ALGORITHM   Algorithms by collective, `bcast=lane,allreduce=hierarchical`, with tunables
 *                         `bcast=chain(segment=32K)`; goes before all profiles. A component
 *                         (the collectives that an algorithm itself calls on the processes of a node
 *                         or of a lane) is named with `@node` or `@lane`: `bcast@lane=hierarchical`.
 *     LANEWAY_NODE_SIZE   Virtual nodes: a number n puts n processes, consecutive in MPI_COMM_WORLD,
 *                         on each node; otherwise the path of a map file, one line a process of
 *                         MPI_COMM_WORLD in rank order, holding the name of its node (`#`: comment);
 *                         processes past its end lie on their physical nodes.
 *     LANEWAY_LANES       Network lanes of a node. Matters where nodes differ in size: a node with
 *                         fewer processes than lanes has them serve several lanes each.
 *     LANEWAY_STRICT      `1`: the job stops at settings that cannot be understood, instead of being
 *                         served natively with a message.
 *     LANEWAY_REPORT      Which algorithm served which calls, and why (docs/decisions.md): `1` for a table
 *                         of rank 0 at the end, otherwise a folder for a file of each process.
 *     LANEWAY_ADVISE      `1`: everything is served natively, and timed for the report.
 *
 * RETURN VALUE
 *     MPI_SUCCESS or an MPI error code; an error is raised once, through the error handler of the
 *     communicator, like the MPI function's own.
 *
 * THREADS
 *     As with MPI: with MPI_THREAD_MULTIPLE several threads may call collectives at once, on
 *     different communicators.
 */
#ifndef LANEWAY_H
#define LANEWAY_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LANEWAY_API __attribute__((visibility("default")))

/** MPI_Bcast: `count` elements of `datatype` from `root` to every process of `comm`. */
LANEWAY_API int laneway_bcast(void* buffer, int count, MPI_Datatype datatype, int root,
                              MPI_Comm comm);

/** MPI_Scatter: block r of the root's send buffer to rank r. */
LANEWAY_API int laneway_scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                MPI_Comm comm);

/** MPI_Gather: everyone's block, in rank order, at `root`. */
LANEWAY_API int laneway_gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                               void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                               MPI_Comm comm);

/** MPI_Allgather: everyone's block, in rank order, at every process. */
LANEWAY_API int laneway_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm);

/** MPI_Alltoall: block r of everyone's send buffer to rank r. */
LANEWAY_API int laneway_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                 MPI_Comm comm);

/** MPI_Reduce: the element-wise reduction of everyone's elements, at `root`. */
LANEWAY_API int laneway_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                               MPI_Op op, int root, MPI_Comm comm);

/** MPI_Allreduce: the element-wise reduction of everyone's elements, at every process. */
LANEWAY_API int laneway_allreduce(const void* sendbuf, void* recvbuf, int count,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

/** MPI_Reduce_scatter_block: block r of the reduction at rank r. */
LANEWAY_API int laneway_reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

/** MPI_Scan: the reduction of the elements of ranks 0 to r at rank r. */
LANEWAY_API int laneway_scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                             MPI_Op op, MPI_Comm comm);

/** MPI_Exscan: the reduction of the elements of ranks 0 to r - 1 at rank r. */
LANEWAY_API int laneway_exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm comm);

/** MPI_Barrier: nobody leaves before everybody has come. */
LANEWAY_API int laneway_barrier(MPI_Comm comm);

/** @name The same with large counts
 *  Like the functions of MPI 4 that end in `_c`, on every MPI library. A count past INT_MAX that no
 *  algorithm serves, on a library without those functions, raises MPI_ERR_COUNT on `comm`.
 *  @{ */
LANEWAY_API int laneway_bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
                                MPI_Comm comm);
LANEWAY_API int laneway_scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                  int root, MPI_Comm comm);
LANEWAY_API int laneway_gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                 int root, MPI_Comm comm);
LANEWAY_API int laneway_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                    MPI_Comm comm);
LANEWAY_API int laneway_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                   MPI_Comm comm);
LANEWAY_API int laneway_reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                 MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm);
LANEWAY_API int laneway_allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
LANEWAY_API int laneway_reduce_scatter_block_c(const void* sendbuf, void* recvbuf,
                                               MPI_Count recvcount, MPI_Datatype datatype,
                                               MPI_Op op, MPI_Comm comm);
LANEWAY_API int laneway_scan_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
LANEWAY_API int laneway_exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
/** @} */

/** @name The same by a named algorithm
 *  `algorithm` is a registry name ("native", "lane", ...; see laneway_algorithm()), the same on all
 *  processes. A name that is not registered raises MPI_ERR_ARG on `comm`.
 *  @{ */
LANEWAY_API int laneway_bcast_with(const char* algorithm, void* buffer, int count,
                                   MPI_Datatype datatype, int root, MPI_Comm comm);
LANEWAY_API int laneway_scatter_with(const char* algorithm, const void* sendbuf, int sendcount,
                                     MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                     MPI_Datatype recvtype, int root, MPI_Comm comm);
LANEWAY_API int laneway_gather_with(const char* algorithm, const void* sendbuf, int sendcount,
                                    MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                    MPI_Datatype recvtype, int root, MPI_Comm comm);
LANEWAY_API int laneway_allgather_with(const char* algorithm, const void* sendbuf, int sendcount,
                                       MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                       MPI_Datatype recvtype, MPI_Comm comm);
LANEWAY_API int laneway_alltoall_with(const char* algorithm, const void* sendbuf, int sendcount,
                                      MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                      MPI_Datatype recvtype, MPI_Comm comm);
LANEWAY_API int laneway_reduce_with(const char* algorithm, const void* sendbuf, void* recvbuf,
                                    int count, MPI_Datatype datatype, MPI_Op op, int root,
                                    MPI_Comm comm);
LANEWAY_API int laneway_allreduce_with(const char* algorithm, const void* sendbuf, void* recvbuf,
                                       int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
LANEWAY_API int laneway_reduce_scatter_block_with(const char* algorithm, const void* sendbuf,
                                                  void* recvbuf, int recvcount,
                                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
LANEWAY_API int laneway_scan_with(const char* algorithm, const void* sendbuf, void* recvbuf,
                                  int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
LANEWAY_API int laneway_exscan_with(const char* algorithm, const void* sendbuf, void* recvbuf,
                                    int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
LANEWAY_API int laneway_barrier_with(const char* algorithm, MPI_Comm comm);
/** @} */

/**
 * The algorithm that served the calling process's last Laneway call on `comm`: "native" where none
 * was made. The string is static; the call is local and needs no partner.
 */
LANEWAY_API const char* laneway_served_by(MPI_Comm comm);

#ifdef MPI_SESSION_NULL
/**
 * MPI_Session_finalize for programs that are linked with Laneway and start MPI by sessions: what
 * Laneway still holds on communicators that the program has not freed is left to the library.
 * (Programs that call MPI_Finalize need nothing of the kind.)
 */
LANEWAY_API int laneway_session_finalize(MPI_Session* session);
#endif

/**
 * Puts the calling process on virtual node `node` (>= 0; -1: back to LANEWAY_NODE_SIZE or the
 * physical node). The node of a process is the same in every communicator; a communicator keeps the
 * nodes that its processes had when an algorithm other than native was first chosen on it.
 * Local. Returns MPI_SUCCESS, or MPI_ERR_ARG for `node` < -1.
 */
LANEWAY_API int laneway_set_node(int node);

/**
 * Name of the `index`-th algorithm (from 0, in alphabetical order, "native" among them) registered
 * for `collective` ("bcast", ...); NULL past the last and for an unknown collective.
 * May be called before MPI is initialised.
 */
LANEWAY_API const char* laneway_algorithm(const char* collective, int index);

/**
 * The whole registry as JSON: an array of objects with the keys collective, algorithm, idea, rounds,
 * volume, memory, requires, otherwise, source and tunables (an array of objects with name, unit, preset, least, most,
 * about). May be called before MPI is initialised; the string is static.
 */
LANEWAY_API const char* laneway_registry_json(void);

/** Laneway's version, "major.minor.patch". */
LANEWAY_API const char* laneway_version(void);

#ifdef __cplusplus
}
#endif
#endif
