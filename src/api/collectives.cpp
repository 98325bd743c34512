// SPDX-License-Identifier: BSD-3-Clause
// The collectives of the C API (include/laneway.h) in all their forms, from one table: `parameters(Count)` of
// each, and the front that they make.
#include <laneway.h>

#include <type_traits>

#include "call/begin.hpp"
#include "call/front/all.hpp"
#include "call/run.hpp"

using namespace laneway;

/// The type of displacements beside counts of type `Count`.
template <class Count>
using Place = std::conditional_t<std::is_same_v<Count, int>, int, MPI_Aint>;

#define FORMS_OF(name, large, Count, parameters, front)                                            \
    int laneway_##name##large(parameters(Count)) { return run(nullptr, comm, front); }             \
    int laneway_##name##_with##large(const char* algorithm, parameters(Count))                     \
    {                                                                                              \
        return run(algorithm, comm, front);                                                        \
    }                                                                                              \
    int laneway_i##name##large(parameters(Count), MPI_Request* request)                            \
    {                                                                                              \
        return begin(nullptr, front, Scope::nonblocking, MPI_INFO_NULL, request);                  \
    }                                                                                              \
    int laneway_i##name##_with##large(const char* algorithm, parameters(Count),                    \
                                      MPI_Request* request)                                        \
    {                                                                                              \
        return begin(algorithm, front, Scope::nonblocking, MPI_INFO_NULL, request);                \
    }                                                                                              \
    int laneway_##name##_init##large(parameters(Count), MPI_Info info, MPI_Request* request)       \
    {                                                                                              \
        return begin(nullptr, front, Scope::persistent, info, request);                            \
    }                                                                                              \
    int laneway_##name##_init_with##large(const char* algorithm, parameters(Count), MPI_Info info, \
                                          MPI_Request* request)                                    \
    {                                                                                              \
        return begin(algorithm, front, Scope::persistent, info, request);                          \
    }

#define FORMS(name, parameters, front) FORMS_OF(name, , int, parameters, front)
#define FORMS_WITH_COUNTS(name, parameters, front) \
    FORMS(name, parameters, front)                 \
    FORMS_OF(name, _c, MPI_Count, parameters, front)

#define BUFFER(Count) void *buffer, Count count, MPI_Datatype datatype, int root, MPI_Comm comm
#define BLOCKS(Count)                                                                            \
    const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf, Count recvcount, \
        MPI_Datatype recvtype, MPI_Comm comm
#define BLOCKS_AND_ROOT(Count)                                                                   \
    const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf, Count recvcount, \
        MPI_Datatype recvtype, int root, MPI_Comm comm
#define REDUCTION(Count) \
    const void *sendbuf, void *recvbuf, Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm
#define REDUCTION_AND_ROOT(Count)                                                                \
    const void *sendbuf, void *recvbuf, Count count, MPI_Datatype datatype, MPI_Op op, int root, \
        MPI_Comm comm
#define ROW_AND_BLOCK(Count)                                                                    \
    const void *sendbuf, const Count *sendcounts, const Place<Count>*displs,                    \
        MPI_Datatype sendtype, void *recvbuf, Count recvcount, MPI_Datatype recvtype, int root, \
        MPI_Comm comm
#define BLOCK_AND_ROW(Count)                                                    \
    const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf, \
        const Count *recvcounts, const Place<Count>*displs, MPI_Datatype recvtype, MPI_Comm comm
#define BLOCK_AND_ROW_AND_ROOT(Count)                                                        \
    const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf,              \
        const Count *recvcounts, const Place<Count>*displs, MPI_Datatype recvtype, int root, \
        MPI_Comm comm
#define ROWS(Count)                                                                                \
    const void *sendbuf, const Count *sendcounts, const Place<Count>*sdispls,                      \
        MPI_Datatype sendtype, void *recvbuf, const Count *recvcounts, const Place<Count>*rdispls, \
        MPI_Datatype recvtype, MPI_Comm comm
#define ROWS_WITH_TYPES(Count)                                                 \
    const void *sendbuf, const Count *sendcounts, const Place<Count>*sdispls,  \
        const MPI_Datatype *sendtypes, void *recvbuf, const Count *recvcounts, \
        const Place<Count>*rdispls, const MPI_Datatype *recvtypes, MPI_Comm comm
#define NEIGHBOR_ROWS_WITH_TYPES(Count)                                        \
    const void *sendbuf, const Count *sendcounts, const MPI_Aint *sdispls,     \
        const MPI_Datatype *sendtypes, void *recvbuf, const Count *recvcounts, \
        const MPI_Aint *rdispls, const MPI_Datatype *recvtypes, MPI_Comm comm
#define REDUCTION_OF_ROW(Count)                                                                    \
    const void *sendbuf, void *recvbuf, const Count *recvcounts, MPI_Datatype datatype, MPI_Op op, \
        MPI_Comm comm
#define NOTHING(Count) MPI_Comm comm

#define SENT \
    Data { sendbuf, sendcount, sendtype }
#define RECEIVED \
    Data { recvbuf, recvcount, recvtype }
#define REDUCED {sendbuf, recvbuf, count, datatype, op}

extern "C" {

FORMS_WITH_COUNTS(bcast, BUFFER, (BcastFront{{buffer, count, datatype}, root, comm}))
FORMS_WITH_COUNTS(scatter, BLOCKS_AND_ROOT, (ScatterFront{{SENT, RECEIVED, root, comm}}))
FORMS_WITH_COUNTS(gather, BLOCKS_AND_ROOT, (GatherFront{{RECEIVED, SENT, root, comm}}))
FORMS_WITH_COUNTS(allgather, BLOCKS, (AllgatherFront{SENT, RECEIVED, comm}))
FORMS_WITH_COUNTS(alltoall, BLOCKS, (AlltoallFront{SENT, RECEIVED, comm}))
FORMS_WITH_COUNTS(reduce, REDUCTION_AND_ROOT, (ReduceFront{REDUCED, root, comm}))
FORMS_WITH_COUNTS(allreduce, REDUCTION, (AllreduceFront{REDUCED, comm}))
FORMS_WITH_COUNTS(reduce_scatter_block, REDUCTION, (ReduceScatterBlockFront{REDUCED, comm}))
FORMS_WITH_COUNTS(scan, REDUCTION, (ScanFront{REDUCED, comm}))
FORMS_WITH_COUNTS(exscan, REDUCTION, (ExscanFront{REDUCED, comm}))
FORMS_WITH_COUNTS(scatterv, ROW_AND_BLOCK,
                  (ScattervFront{{{sendbuf, sendcounts, displs, sendtype}, RECEIVED, root, comm}}))
FORMS_WITH_COUNTS(gatherv, BLOCK_AND_ROW_AND_ROOT,
                  (GathervFront{{{recvbuf, recvcounts, displs, recvtype}, SENT, root, comm}}))
FORMS_WITH_COUNTS(allgatherv, BLOCK_AND_ROW,
                  (AllgathervFront{SENT, {recvbuf, recvcounts, displs, recvtype}, comm}))
FORMS_WITH_COUNTS(alltoallv, ROWS,
                  (AlltoallvFront{{{sendbuf, sendcounts, sdispls, sendtype},
                                   {recvbuf, recvcounts, rdispls, recvtype},
                                   comm}}))
FORMS_WITH_COUNTS(alltoallw, ROWS_WITH_TYPES,
                  (AlltoallwFront{{{sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes},
                                   {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes},
                                   comm}}))
FORMS_WITH_COUNTS(neighbor_alltoallv, ROWS,
                  (NeighborAlltoallvFront{{{sendbuf, sendcounts, sdispls, sendtype},
                                           {recvbuf, recvcounts, rdispls, recvtype},
                                           comm}}))
FORMS_WITH_COUNTS(neighbor_alltoallw, NEIGHBOR_ROWS_WITH_TYPES,
                  (NeighborAlltoallwFront{
                      {{sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes},
                       {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes},
                       comm}}))
FORMS_WITH_COUNTS(reduce_scatter, REDUCTION_OF_ROW,
                  (ReduceScatterFront{{sendbuf, recvbuf, 0, datatype, op}, recvcounts, comm}))
FORMS(barrier, NOTHING, (BarrierFront{comm}))

int laneway_decompose(MPI_Comm comm) { return decompose(comm); }

}  // extern "C"
