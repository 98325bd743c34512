// SPDX-License-Identifier: BSD-3-Clause
// Functions by which programs start, cancel and free the requests of operations that Laneway serves, and free the
// handles that these use. They are for the preload, and for programs that are linked with Laneway (linked.c).
#include <mpi.h>

#include "call/request.hpp"
#include "call/timed.hpp"

using namespace laneway;

#define FOR_OTHERS extern "C" __attribute__((visibility("default")))

static int start(int count, MPI_Request* requests)
{
    return TimedRequests::watch(
        count, requests, [&] { return Request::start(count, requests); },
        TimedRequests::Part::start);
}

FOR_OTHERS int laneway_start(MPI_Request* request) { return start(1, request); }

FOR_OTHERS int laneway_startall(int count, MPI_Request* requests) { return start(count, requests); }

FOR_OTHERS int laneway_request_free(MPI_Request* request)
{
    if (request) TimedRequests::forget(*request);
    return Request::free(request);
}

FOR_OTHERS int laneway_cancel(MPI_Request* request) { return Request::cancel(request); }

FOR_OTHERS int laneway_op_free(MPI_Op* op) { return Held<Operator>::free(op); }

FOR_OTHERS int laneway_type_free(MPI_Datatype* type) { return Held<Type>::free(type); }
