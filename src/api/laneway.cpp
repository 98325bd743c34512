// SPDX-License-Identifier: BSD-3-Clause
// The C API (include/laneway.h): one line a collective.
#include <laneway.h>

#include <algorithm>

#include "call/front.hpp"
#include "call/run.hpp"
#include "choose/node.hpp"
#include "mpi/real.hpp"

using namespace laneway;

namespace {

template <class Call>
const char* algorithm_at(int index)
{
    std::vector<std::string_view> names{"native"};  // each ends in a null byte
    for (const auto& algorithm : Registry<Call>::all()) names.push_back(algorithm.name);
    std::ranges::sort(names);
    const auto place = static_cast<std::size_t>(index);
    return index >= 0 && place < names.size() ? names[place].data() : nullptr;
}

}  // namespace

extern "C" {

int laneway_bcast_with(const char* algorithm, void* buffer, int count, MPI_Datatype datatype,
                       int root, MPI_Comm comm)
{
    return run(algorithm, comm, BcastFront{{buffer, count, datatype}, root, comm});
}

int laneway_scatter_with(const char* algorithm, const void* sendbuf, int sendcount,
                         MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                         int root, MPI_Comm comm)
{
    return run(
        algorithm, comm,
        ScatterFront{{{sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root, comm}});
}

int laneway_gather_with(const char* algorithm, const void* sendbuf, int sendcount,
                        MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                        int root, MPI_Comm comm)
{
    return run(
        algorithm, comm,
        GatherFront{{{recvbuf, recvcount, recvtype}, {sendbuf, sendcount, sendtype}, root, comm}});
}

int laneway_allgather_with(const char* algorithm, const void* sendbuf, int sendcount,
                           MPI_Datatype sendtype, void* recvbuf, int recvcount,
                           MPI_Datatype recvtype, MPI_Comm comm)
{
    return run(
        algorithm, comm,
        AllgatherFront{{sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, comm});
}

int laneway_alltoall_with(const char* algorithm, const void* sendbuf, int sendcount,
                          MPI_Datatype sendtype, void* recvbuf, int recvcount,
                          MPI_Datatype recvtype, MPI_Comm comm)
{
    return run(algorithm, comm,
               AlltoallFront{{sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, comm});
}

int laneway_reduce_with(const char* algorithm, const void* sendbuf, void* recvbuf, int count,
                        MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    return run(algorithm, comm, ReduceFront{{sendbuf, recvbuf, count, datatype, op}, root, comm});
}

int laneway_allreduce_with(const char* algorithm, const void* sendbuf, void* recvbuf, int count,
                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return run(algorithm, comm, AllreduceFront{{sendbuf, recvbuf, count, datatype, op}, comm});
}

int laneway_reduce_scatter_block_with(const char* algorithm, const void* sendbuf, void* recvbuf,
                                      int recvcount, MPI_Datatype datatype, MPI_Op op,
                                      MPI_Comm comm)
{
    return run(algorithm, comm,
               ReduceScatterBlockFront{{sendbuf, recvbuf, recvcount, datatype, op}, comm});
}

int laneway_scan_with(const char* algorithm, const void* sendbuf, void* recvbuf, int count,
                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return run(algorithm, comm, ScanFront{{sendbuf, recvbuf, count, datatype, op}, comm});
}

int laneway_exscan_with(const char* algorithm, const void* sendbuf, void* recvbuf, int count,
                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return run(algorithm, comm, ExscanFront{{sendbuf, recvbuf, count, datatype, op}, comm});
}

int laneway_barrier_with(const char* algorithm, MPI_Comm comm)
{
    return run(algorithm, comm, BarrierFront{comm});
}

int laneway_bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    return laneway_bcast_with(nullptr, buffer, count, datatype, root, comm);
}

int laneway_scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return laneway_scatter_with(nullptr, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                root, comm);
}

int laneway_gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return laneway_gather_with(nullptr, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                               root, comm);
}

int laneway_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return laneway_allgather_with(nullptr, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                  recvtype, comm);
}

int laneway_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return laneway_alltoall_with(nullptr, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                 recvtype, comm);
}

int laneway_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   int root, MPI_Comm comm)
{
    return laneway_reduce_with(nullptr, sendbuf, recvbuf, count, datatype, op, root, comm);
}

int laneway_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm)
{
    return laneway_allreduce_with(nullptr, sendbuf, recvbuf, count, datatype, op, comm);
}

int laneway_reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return laneway_reduce_scatter_block_with(nullptr, sendbuf, recvbuf, recvcount, datatype, op,
                                             comm);
}

int laneway_scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm)
{
    return laneway_scan_with(nullptr, sendbuf, recvbuf, count, datatype, op, comm);
}

int laneway_exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm)
{
    return laneway_exscan_with(nullptr, sendbuf, recvbuf, count, datatype, op, comm);
}

int laneway_barrier(MPI_Comm comm) { return laneway_barrier_with(nullptr, comm); }

const char* laneway_served_by(MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL) return "native";
    try {
        const State* state = State::existing(comm);
        return state ? state->served_by : "native";
    } catch (const Error&) {
        return "native";
    }
}

#ifdef MPI_SESSION_NULL
int laneway_session_finalize(MPI_Session* session)
{
    return end_session([&] { return real::Session_finalize(session); });
}
#endif

int laneway_set_node(int node)
{
    if (node < -1) return MPI_ERR_ARG;
    set_virtual_node(node);
    return MPI_SUCCESS;
}

const char* laneway_algorithm(const char* collective, int index)
{
    if (collective == nullptr) return nullptr;
    const char* name = nullptr;
    for_each_call([&]<class Call>(std::type_identity<Call>) {
        if (std::string_view(collective) == Call::name) name = algorithm_at<Call>(index);
    });
    return name;
}

const char* laneway_registry_json(void)
{
    static const std::string json = registry_json();
    return json.c_str();
}

const char* laneway_version(void) { return LANEWAY_VERSION; }

}  // extern "C"
