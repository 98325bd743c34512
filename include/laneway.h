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
 *     laneway_bcast() and its sisters take the arguments of the MPI function that they are named
 *     after, and mean the same. Each may be called wherever that function may: by all processes of
 *     a communicator, in the same order, with any datatype, operator, root and MPI_IN_PLACE. Which
 *     algorithm serves a call is decided by the settings below. Without any, built-in rules serve
 *     where nodes are known to have several lanes, and else `native`, the MPI library itself. The
 *     `_with` forms name the algorithm instead, with other tunables than its presets if need be:
 *     "lane_pipeline(segment=32K)". All processes must pass the same name.
 *
 *     A call that the chosen algorithm cannot serve (an inter-communicator, a communicator of one
 *     process, a requirement of the algorithm that does not hold, no communicator left) is served by
 *     the one that stands in for it, at last natively: the result is always that of the MPI function.
 *
 * ENVIRONMENT
 *     The variables are read once. The processes of a communicator agree on them at its first
 *     collective call, which waits for all. Where processes differ, those of rank 0 of that
 *     communicator hold. (Programs under the preload wait less: docs/interposition.md.)
 *
 *     LANEWAY
 *         `off`: everything is served natively.
 *     LANEWAY_ADVISE
 *         `1`: everything is served natively, and timed for the report.
 *     LANEWAY_ALGORITHM
 *         Algorithms by collective, `bcast=lane,allreduce=hierarchical`, with tunables
 *         `bcast=chain(segment=32K)`; goes before all profiles. A component is a collective that an
 *         algorithm itself calls on the processes of a node or of a lane. It is named with `@node`
 *         or `@lane`: `bcast@lane=hierarchical`.
 *     LANEWAY_BINDING
 *         How the processes of a job share the lanes of their node, for rules that ask
 *         (`binding=lane`). By `lane`, each has its own; by `all`, each has all; by `one`, all have
 *         the same one. Without it, an emulated cluster says so. Otherwise the variables count that
 *         restrict a process to network devices, by whether they differ between processes
 *         (docs/profiles.md).
 *     LANEWAY_CORES
 *         Whether each process has a core of its own (`each`), or processes of a node share cores
 *         (`shared`), for rules that ask (`cores=each`). Without it, the processors count to which
 *         processes are bound, and the number of processes on each node that the launcher says
 *         (docs/profiles.md).
 *     LANEWAY_DEFAULT
 *         `off`: the profiles that Laneway brings (share/laneway/profiles), predicted and learnt
 *         ones (~/.config/laneway/predicted, learned) are not read. Otherwise they are read first.
 *         Laneway's own are read only where a node has 2 lanes or more, or one machine has a core
 *         for each process of the job.
 *     LANEWAY_DIVIDE_OPERATORS
 *         `1`: operators of the program's (MPI_Op_create) may be called with parts of a message by
 *         whichever algorithm is chosen. Without it, an operator that does not commute always gets
 *         whole messages, as MPI libraries mostly give it. One that commutes does, too, unless
 *         LANEWAY_ALGORITHM or the call names an algorithm that divides messages
 *         (docs/interposition.md, docs/algorithms.md).
 *     LANEWAY_LANES
 *         Network lanes of a node. They matter where nodes differ in size: a node with fewer
 *         processes than lanes has each serve several lanes. Without it, a profile's `lanes 2`
 *         counts. Otherwise the lanes count that are found (docs/profiles.md). These are an
 *         emulated cluster's, devices of InfiniBand, Omni-Path, RoCE or Slingshot, or the Ethernet
 *         devices by which the MPI library sends. Otherwise there is 1.
 *     LANEWAY_LANE_WEIGHTS
 *         Weights of the network lanes of a node, in the order of their numbers: what each carries
 *         in the time of the others. `2:1`: the first is twice as fast. Algorithms that cut data
 *         into a share a lane follow them, and `0` takes a lane out. There are as many lanes as
 *         weights. `10:10,node2=10:1`: the lanes of the host node2 have others, on the same scale
 *         (a virtual node has its name, or its number). `auto`: they are found while the program
 *         runs. Without it, a profile's `lanes 2 weights 2:1` counts, and otherwise lanes are alike
 *         (docs/unequal-lanes.md).
 *     LANEWAY_LEARN
 *         `1`: while the program runs, algorithms take turns in its calls, and the fastest serves
 *         (docs/learning.md). `data`: in collectives that move data alone, so that no sum is
 *         rounded otherwise. Rules that somebody has measured or written go before it.
 *     LANEWAY_NODE_MESSAGES
 *         The way of messages of algorithms between processes of a node. `shared`: memory that they
 *         share, where they have any (docs/node-messages.md). `library`: the MPI library. Without
 *         it `shared`.
 *     LANEWAY_NODE_SIZE
 *         Virtual nodes: a number n puts n processes, consecutive in MPI_COMM_WORLD, on each node.
 *         Otherwise it is the path of a map file: one line a process of MPI_COMM_WORLD, in rank
 *         order, with the name of its node. `#` begins a comment. Processes past the end of the
 *         file lie on their physical nodes.
 *     LANEWAY_PATIENCE
 *         So many of a communicator's first calls are left to the library. Calls of 1 MiB or more
 *         are not, nor are those that name their algorithm. 20 unless it is set; 0 on
 *         MPI_COMM_WORLD, and where LANEWAY_ALGORITHM or LANEWAY_REPRODUCIBLE is set.
 *     LANEWAY_PROFILE
 *         Profiles, separated by colons: files of rules that choose algorithms by collective, shape
 *         and bytes (docs/profiles.md). Later ones win.
 *     LANEWAY_PROFILE_DIR
 *         The folder whose *.conf are read before these, in place of etc/laneway of the
 *         installation, ~/.config/laneway and its folders predicted and learned (XDG_CONFIG_HOME).
 *         If it is set and empty, no folder is read.
 *     LANEWAY_REPORT
 *         A report of which algorithm served which calls, and why (docs/decisions.md). `1`: a table
 *         of rank 0 at the end. Otherwise it is a folder for a file of each process.
 *     LANEWAY_REPRODUCIBLE
 *         `1`: reductions give the same to the last bit for the same operands on as many processes.
 *         Machine, lanes, root and the pieces of a message do not matter (docs/reproducible.md).
 *         The mode goes before all that profiles and LANEWAY_ALGORITHM say of reductions. A call
 *         that names its algorithm gets this one.
 *     LANEWAY_SOCKET_SIZE
 *         Virtual sockets: a number n puts n processes on each socket of a node, in the order of
 *         their ranks in MPI_COMM_WORLD. Processes of a node that laneway_set_node made are taken
 *         to follow each other there. Without it, a process is on the socket of all processors that
 *         it may run on. Where these are on several sockets, or that cannot be told, it is on the
 *         socket numbered 0. Sockets matter to algorithms that go socket after socket (their
 *         tunable `order=2`).
 *     LANEWAY_STRICT
 *         `1`: the job stops at settings that cannot be understood. Without it, such a job is
 *         served natively, with a message.
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

/** MPI_Scatterv: block r of the root's send buffer, `sendcounts[r]` elements from `displs[r]` on, to rank r. */
LANEWAY_API int laneway_scatterv(const void* sendbuf, const int* sendcounts, const int* displs,
                                 MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                 MPI_Datatype recvtype, int root, MPI_Comm comm);

/** MPI_Gatherv: everyone's block at `root`, that of rank r from `displs[r]` on. */
LANEWAY_API int laneway_gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                void* recvbuf, const int* recvcounts, const int* displs,
                                MPI_Datatype recvtype, int root, MPI_Comm comm);

/** MPI_Allgatherv: everyone's block at every process, that of rank r from `displs[r]` on. */
LANEWAY_API int laneway_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, const int* recvcounts, const int* displs,
                                   MPI_Datatype recvtype, MPI_Comm comm);

/** MPI_Alltoallv: `sendcounts[r]` elements from `sdispls[r]` on to rank r. */
LANEWAY_API int laneway_alltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls,
                                  MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
                                  const int* rdispls, MPI_Datatype recvtype, MPI_Comm comm);

/** MPI_Alltoallw: the same with types by rank and displacements in bytes. It is served by the algorithms of an
 * alltoallv. */
LANEWAY_API int laneway_alltoallw(const void* sendbuf, const int* sendcounts, const int* sdispls,
                                  const MPI_Datatype* sendtypes, void* recvbuf,
                                  const int* recvcounts, const int* rdispls,
                                  const MPI_Datatype* recvtypes, MPI_Comm comm);

/** MPI_Neighbor_alltoallv: `sendcounts[i]` elements from `sdispls[i]` on to the i-th neighbour in the topology of
 * `comm`. */
LANEWAY_API int laneway_neighbor_alltoallv(const void* sendbuf, const int* sendcounts,
                                           const int* sdispls, MPI_Datatype sendtype, void* recvbuf,
                                           const int* recvcounts, const int* rdispls,
                                           MPI_Datatype recvtype, MPI_Comm comm);

/** MPI_Neighbor_alltoallw: the same with types by neighbour and displacements in bytes. It is served by the algorithms
 * of
 *  neighbor_alltoallv. */
LANEWAY_API int laneway_neighbor_alltoallw(const void* sendbuf, const int* sendcounts,
                                           const MPI_Aint* sdispls, const MPI_Datatype* sendtypes,
                                           void* recvbuf, const int* recvcounts,
                                           const MPI_Aint* rdispls, const MPI_Datatype* recvtypes,
                                           MPI_Comm comm);

/** MPI_Reduce_scatter: block r of the reduction, `recvcounts[r]` elements, at rank r. */
LANEWAY_API int laneway_reduce_scatter(const void* sendbuf, void* recvbuf, const int* recvcounts,
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

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
LANEWAY_API int laneway_scatterv_c(const void* sendbuf, const MPI_Count* sendcounts,
                                   const MPI_Aint* displs, MPI_Datatype sendtype, void* recvbuf,
                                   MPI_Count recvcount, MPI_Datatype recvtype, int root,
                                   MPI_Comm comm);
LANEWAY_API int laneway_gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, const MPI_Count* recvcounts,
                                  const MPI_Aint* displs, MPI_Datatype recvtype, int root,
                                  MPI_Comm comm);
LANEWAY_API int laneway_allgatherv_c(const void* sendbuf, MPI_Count sendcount,
                                     MPI_Datatype sendtype, void* recvbuf,
                                     const MPI_Count* recvcounts, const MPI_Aint* displs,
                                     MPI_Datatype recvtype, MPI_Comm comm);
LANEWAY_API int laneway_alltoallv_c(const void* sendbuf, const MPI_Count* sendcounts,
                                    const MPI_Aint* sdispls, MPI_Datatype sendtype, void* recvbuf,
                                    const MPI_Count* recvcounts, const MPI_Aint* rdispls,
                                    MPI_Datatype recvtype, MPI_Comm comm);
LANEWAY_API int laneway_alltoallw_c(const void* sendbuf, const MPI_Count* sendcounts,
                                    const MPI_Aint* sdispls, const MPI_Datatype* sendtypes,
                                    void* recvbuf, const MPI_Count* recvcounts,
                                    const MPI_Aint* rdispls, const MPI_Datatype* recvtypes,
                                    MPI_Comm comm);
LANEWAY_API int laneway_neighbor_alltoallv_c(const void* sendbuf, const MPI_Count* sendcounts,
                                             const MPI_Aint* sdispls, MPI_Datatype sendtype,
                                             void* recvbuf, const MPI_Count* recvcounts,
                                             const MPI_Aint* rdispls, MPI_Datatype recvtype,
                                             MPI_Comm comm);
LANEWAY_API int laneway_neighbor_alltoallw_c(const void* sendbuf, const MPI_Count* sendcounts,
                                             const MPI_Aint* sdispls, const MPI_Datatype* sendtypes,
                                             void* recvbuf, const MPI_Count* recvcounts,
                                             const MPI_Aint* rdispls, const MPI_Datatype* recvtypes,
                                             MPI_Comm comm);
LANEWAY_API int laneway_reduce_scatter_c(const void* sendbuf, void* recvbuf,
                                         const MPI_Count* recvcounts, MPI_Datatype datatype,
                                         MPI_Op op, MPI_Comm comm);
/** @} */

/** @name The same by a named algorithm
 *  `algorithm` is a registry name ("native", "lane", ...; see laneway_algorithm()), the same on all
 *  processes. A name that is not registered raises MPI_ERR_ARG on `comm`. With large counts:
 *  laneway_bcast_with_c() and so on.
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
LANEWAY_API int laneway_scatterv_with(const char* algorithm, const void* sendbuf,
                                      const int* sendcounts, const int* displs,
                                      MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                      MPI_Datatype recvtype, int root, MPI_Comm comm);
LANEWAY_API int laneway_gatherv_with(const char* algorithm, const void* sendbuf, int sendcount,
                                     MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
                                     const int* displs, MPI_Datatype recvtype, int root,
                                     MPI_Comm comm);
LANEWAY_API int laneway_allgatherv_with(const char* algorithm, const void* sendbuf, int sendcount,
                                        MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
                                        const int* displs, MPI_Datatype recvtype, MPI_Comm comm);
LANEWAY_API int laneway_alltoallv_with(const char* algorithm, const void* sendbuf,
                                       const int* sendcounts, const int* sdispls,
                                       MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
                                       const int* rdispls, MPI_Datatype recvtype, MPI_Comm comm);
LANEWAY_API int laneway_alltoallw_with(const char* algorithm, const void* sendbuf,
                                       const int* sendcounts, const int* sdispls,
                                       const MPI_Datatype* sendtypes, void* recvbuf,
                                       const int* recvcounts, const int* rdispls,
                                       const MPI_Datatype* recvtypes, MPI_Comm comm);
LANEWAY_API int laneway_neighbor_alltoallv_with(const char* algorithm, const void* sendbuf,
                                                const int* sendcounts, const int* sdispls,
                                                MPI_Datatype sendtype, void* recvbuf,
                                                const int* recvcounts, const int* rdispls,
                                                MPI_Datatype recvtype, MPI_Comm comm);
LANEWAY_API int laneway_neighbor_alltoallw_with(const char* algorithm, const void* sendbuf,
                                                const int* sendcounts, const MPI_Aint* sdispls,
                                                const MPI_Datatype* sendtypes, void* recvbuf,
                                                const int* recvcounts, const MPI_Aint* rdispls,
                                                const MPI_Datatype* recvtypes, MPI_Comm comm);
LANEWAY_API int laneway_reduce_scatter_with(const char* algorithm, const void* sendbuf,
                                            void* recvbuf, const int* recvcounts,
                                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
LANEWAY_API int laneway_barrier_with(const char* algorithm, MPI_Comm comm);
/** @} */

/** @name Nonblocking and persistent
 *  The functions of every collective X:
 *
 *      int laneway_iX(..., MPI_Request* request);                          MPI_IX
 *      int laneway_X_init(..., MPI_Info info, MPI_Request* request);       MPI_X_init
 *      int laneway_iX_with(const char* algorithm, ...);                    the same by a named algorithm
 *      int laneway_X_init_with(const char* algorithm, ...);
 *      int laneway_iX_c(...), laneway_X_init_c(...);                       with large counts
 *      int laneway_iX_with_c(...), laneway_X_init_with_c(...);             both
 *
 *  The requests are the MPI library's: MPI_Wait, MPI_Test, MPI_Waitall ... take them, alone and among others,
 *  and MPI_Start and MPI_Startall start persistent ones, again and again. An operation that an algorithm of
 *  Laneway serves is carried on inside every MPI call that waits or tests, whatever for. As with MPI, it is
 *  an error (MPI_ERR_REQUEST) to cancel such an operation, or to free the request of one that is under way. Types,
 *  operators and communicators may be freed meanwhile. An operation that fails goes on to its end, so that no other
 *  process waits in vain. The call that completes it returns an error of class MPI_ERR_TRUNCATE, and calls the
 *  error handler of `comm` with the first error that there was. (MPICH calls that of MPI_COMM_WORLD, as with its own
 *  requests, and also when the error happens.)
 *
 *  A nonblocking call waits for nobody. So it is native until the collective part of serving has been done on
 *  `comm` by laneway_decompose() or a persistent call that an algorithm serves. Where settings choose
 *  algorithms for nonblocking calls (LANEWAY_ALGORITHM=ibcast=lane, rules of profiles), a blocking collective may
 *  do it, too. It must be one that an algorithm serves, or in which all processes meet. The initialisation of a
 *  persistent operation may wait for all processes.
 *
 *  All these calls are native, too, where the MPI library cannot carry on others' operations (MPICH without UCX).
 *  They also are where the program was linked with the MPI library before Laneway. Open MPI 4 has the persistent
 *  calls as MPIX_Bcast_init ...; where the library has none, a persistent call that no algorithm serves raises
 *  MPI_ERR_UNSUPPORTED_OPERATION.
 *  @{ */
#define LANEWAY_REQUEST_FORMS(X, ...)                                                              \
    LANEWAY_API int laneway_i##X(__VA_ARGS__, MPI_Request* request);                               \
    LANEWAY_API int laneway_i##X##_with(const char* algorithm, __VA_ARGS__, MPI_Request* request); \
    LANEWAY_API int laneway_##X##_init(__VA_ARGS__, MPI_Info info, MPI_Request* request);          \
    LANEWAY_API int laneway_##X##_init_with(const char* algorithm, __VA_ARGS__, MPI_Info info,     \
                                            MPI_Request* request);
#define LANEWAY_LARGE_FORMS(X, ...)                                                              \
    LANEWAY_API int laneway_##X##_with_c(const char* algorithm, __VA_ARGS__);                    \
    LANEWAY_API int laneway_i##X##_c(__VA_ARGS__, MPI_Request* request);                         \
    LANEWAY_API int laneway_i##X##_with_c(const char* algorithm, __VA_ARGS__,                    \
                                          MPI_Request* request);                                 \
    LANEWAY_API int laneway_##X##_init_c(__VA_ARGS__, MPI_Info info, MPI_Request* request);      \
    LANEWAY_API int laneway_##X##_init_with_c(const char* algorithm, __VA_ARGS__, MPI_Info info, \
                                              MPI_Request* request);

LANEWAY_REQUEST_FORMS(bcast, void* buffer, int count, MPI_Datatype datatype, int root,
                      MPI_Comm comm)
LANEWAY_REQUEST_FORMS(scatter, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                      void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
LANEWAY_REQUEST_FORMS(gather, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                      void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
LANEWAY_REQUEST_FORMS(allgather, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                      void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
LANEWAY_REQUEST_FORMS(alltoall, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                      void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
LANEWAY_REQUEST_FORMS(reduce, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                      MPI_Op op, int root, MPI_Comm comm)
LANEWAY_REQUEST_FORMS(allreduce, const void* sendbuf, void* recvbuf, int count,
                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
LANEWAY_REQUEST_FORMS(reduce_scatter_block, const void* sendbuf, void* recvbuf, int recvcount,
                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
LANEWAY_REQUEST_FORMS(scan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm)
LANEWAY_REQUEST_FORMS(exscan, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm)
LANEWAY_REQUEST_FORMS(scatterv, const void* sendbuf, const int* sendcounts, const int* displs,
                      MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                      int root, MPI_Comm comm)
LANEWAY_REQUEST_FORMS(gatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                      void* recvbuf, const int* recvcounts, const int* displs,
                      MPI_Datatype recvtype, int root, MPI_Comm comm)
LANEWAY_REQUEST_FORMS(allgatherv, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                      void* recvbuf, const int* recvcounts, const int* displs,
                      MPI_Datatype recvtype, MPI_Comm comm)
LANEWAY_REQUEST_FORMS(alltoallv, const void* sendbuf, const int* sendcounts, const int* sdispls,
                      MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
                      const int* rdispls, MPI_Datatype recvtype, MPI_Comm comm)
LANEWAY_REQUEST_FORMS(alltoallw, const void* sendbuf, const int* sendcounts, const int* sdispls,
                      const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts,
                      const int* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm)
LANEWAY_REQUEST_FORMS(neighbor_alltoallv, const void* sendbuf, const int* sendcounts,
                      const int* sdispls, MPI_Datatype sendtype, void* recvbuf,
                      const int* recvcounts, const int* rdispls, MPI_Datatype recvtype,
                      MPI_Comm comm)
LANEWAY_REQUEST_FORMS(neighbor_alltoallw, const void* sendbuf, const int* sendcounts,
                      const MPI_Aint* sdispls, const MPI_Datatype* sendtypes, void* recvbuf,
                      const int* recvcounts, const MPI_Aint* rdispls, const MPI_Datatype* recvtypes,
                      MPI_Comm comm)
LANEWAY_REQUEST_FORMS(reduce_scatter, const void* sendbuf, void* recvbuf, const int* recvcounts,
                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
LANEWAY_REQUEST_FORMS(barrier, MPI_Comm comm)

LANEWAY_LARGE_FORMS(bcast, void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
                    MPI_Comm comm)
LANEWAY_LARGE_FORMS(scatter, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                    MPI_Comm comm)
LANEWAY_LARGE_FORMS(gather, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                    MPI_Comm comm)
LANEWAY_LARGE_FORMS(allgather, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
LANEWAY_LARGE_FORMS(alltoall, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
LANEWAY_LARGE_FORMS(reduce, const void* sendbuf, void* recvbuf, MPI_Count count,
                    MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
LANEWAY_LARGE_FORMS(allreduce, const void* sendbuf, void* recvbuf, MPI_Count count,
                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
LANEWAY_LARGE_FORMS(reduce_scatter_block, const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
LANEWAY_LARGE_FORMS(scan, const void* sendbuf, void* recvbuf, MPI_Count count,
                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
LANEWAY_LARGE_FORMS(exscan, const void* sendbuf, void* recvbuf, MPI_Count count,
                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
LANEWAY_LARGE_FORMS(scatterv, const void* sendbuf, const MPI_Count* sendcounts,
                    const MPI_Aint* displs, MPI_Datatype sendtype, void* recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
LANEWAY_LARGE_FORMS(gatherv, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                    void* recvbuf, const MPI_Count* recvcounts, const MPI_Aint* displs,
                    MPI_Datatype recvtype, int root, MPI_Comm comm)
LANEWAY_LARGE_FORMS(allgatherv, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                    void* recvbuf, const MPI_Count* recvcounts, const MPI_Aint* displs,
                    MPI_Datatype recvtype, MPI_Comm comm)
LANEWAY_LARGE_FORMS(alltoallv, const void* sendbuf, const MPI_Count* sendcounts,
                    const MPI_Aint* sdispls, MPI_Datatype sendtype, void* recvbuf,
                    const MPI_Count* recvcounts, const MPI_Aint* rdispls, MPI_Datatype recvtype,
                    MPI_Comm comm)
LANEWAY_LARGE_FORMS(alltoallw, const void* sendbuf, const MPI_Count* sendcounts,
                    const MPI_Aint* sdispls, const MPI_Datatype* sendtypes, void* recvbuf,
                    const MPI_Count* recvcounts, const MPI_Aint* rdispls,
                    const MPI_Datatype* recvtypes, MPI_Comm comm)
LANEWAY_LARGE_FORMS(neighbor_alltoallv, const void* sendbuf, const MPI_Count* sendcounts,
                    const MPI_Aint* sdispls, MPI_Datatype sendtype, void* recvbuf,
                    const MPI_Count* recvcounts, const MPI_Aint* rdispls, MPI_Datatype recvtype,
                    MPI_Comm comm)
LANEWAY_LARGE_FORMS(neighbor_alltoallw, const void* sendbuf, const MPI_Count* sendcounts,
                    const MPI_Aint* sdispls, const MPI_Datatype* sendtypes, void* recvbuf,
                    const MPI_Count* recvcounts, const MPI_Aint* rdispls,
                    const MPI_Datatype* recvtypes, MPI_Comm comm)
LANEWAY_LARGE_FORMS(reduce_scatter, const void* sendbuf, void* recvbuf, const MPI_Count* recvcounts,
                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)

#undef LANEWAY_LARGE_FORMS
#undef LANEWAY_REQUEST_FORMS
/** @} */

/**
 * Does the collective part of serving on `comm`, so that nonblocking calls may be served from then on.
 * Collective over `comm`. Returns MPI_SUCCESS also where nothing but native can serve there.
 */
LANEWAY_API int laneway_decompose(MPI_Comm comm);

/**
 * Whether nonblocking and persistent collectives can be served with this MPI library. Returns 1 if the library's own
 * progress carries them on, which is found by trying. Otherwise returns 0, and they are the library's. Local; after
 * MPI is initialised.
 */
LANEWAY_API int laneway_serves_requests(void);

/**
 * The algorithm that served the calling process's last Laneway call on `comm`: "native" where none
 * was made. The string is static; the call is local and needs no partner.
 */
LANEWAY_API const char* laneway_served_by(MPI_Comm comm);

#ifdef MPI_SESSION_NULL
/**
 * MPI_Session_finalize for programs that are linked with Laneway and start MPI by sessions. Whatever
 * Laneway still holds on communicators that the program has not freed is left to the library.
 * (Programs that call MPI_Finalize do not need this.)
 */
LANEWAY_API int laneway_session_finalize(MPI_Session* session);
#endif

/**
 * Puts the calling process on virtual node `node` (>= 0; -1: back to LANEWAY_NODE_SIZE or the
 * physical node). The node of a process is the same in every communicator. A communicator keeps the
 * nodes that its processes had when an algorithm other than native was first chosen on it.
 * Local. Returns MPI_SUCCESS, or MPI_ERR_ARG for `node` < -1.
 */
LANEWAY_API int laneway_set_node(int node);

/**
 * The name of the `index`-th algorithm that is registered for `collective` ("bcast", ...). Indices go from
 * 0 in alphabetical order, "native" among them. Returns NULL past the last and for an unknown collective.
 * May be called before MPI is initialised.
 */
LANEWAY_API const char* laneway_algorithm(const char* collective, int index);

/**
 * The fault of `algorithm` as a name in a call of `collective`, in words: an unknown algorithm or tunable, or a value
 * out of bounds. A null pointer: it has none. May be called before MPI is initialised. The string is overwritten by the
 * same thread's next call.
 */
LANEWAY_API const char* laneway_complaint(const char* collective, const char* algorithm);

/**
 * The whole registry as JSON: an array of objects with the keys collective, algorithm, idea, rounds,
 * volume, memory, requires, otherwise, source and tunables. The tunables are an array of objects with the
 * keys name, unit, preset, least, most and about. May be called before MPI is initialised; the string is static.
 */
LANEWAY_API const char* laneway_registry_json(void);

/** Laneway's version, "major.minor.patch". */
LANEWAY_API const char* laneway_version(void);

#ifdef __cplusplus
}
#endif
#endif
