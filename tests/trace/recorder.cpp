// SPDX-License-Identifier: BSD-3-Clause
#include "recorder.hpp"

#include <map>

extern "C" {
int __real_PMPI_Isend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int __real_PMPI_Irecv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int __real_PMPI_Waitall(int, MPI_Request*, MPI_Status*);
}

namespace laneway::trace {
namespace {

bool recording = false;
std::vector<Event> events;
std::map<MPI_Request, Event> expected;  ///< receives under way
Components given{};

Event event(bool is_send, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
    int size = 0, bytes = 0, rank = 0;
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, 1, &peer, world, &rank);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    PMPI_Comm_size(comm, &size);
    PMPI_Type_size(type, &bytes);
    constexpr std::int64_t tags = 1 << 16;
    return {is_send, rank, std::int64_t{bytes} * count, size * tags + tag};
}

}  // namespace

void start()
{
    events.clear();
    given = {};
    recording = true;
}

std::vector<Event> stop()
{
    recording = false;
    return events;
}

Components components() { return given; }

void record_component(Where where, std::int64_t bytes)
{
    (where == Where::lane ? given.on_lane : given.on_node) += bytes;
}

}  // namespace laneway::trace

using namespace laneway::trace;

extern "C" {

int __wrap_PMPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request* request)
{
    if (recording) events.push_back(event(true, count, type, to, tag, comm));
    return __real_PMPI_Isend(data, count, type, to, tag, comm, request);
}

int __wrap_PMPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                      MPI_Request* request)
{
    const int code = __real_PMPI_Irecv(data, count, type, from, tag, comm, request);
    if (recording) expected[*request] = event(false, count, type, from, tag, comm);
    return code;
}

int __wrap_PMPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses)
{
    for (int i = 0; i < count; ++i)
        if (const auto found = expected.find(requests[i]); found != expected.end()) {
            events.push_back(found->second);
            expected.erase(found);
        }
    return __real_PMPI_Waitall(count, requests, statuses);
}

}  // extern "C"
