// SPDX-License-Identifier: BSD-3-Clause
// Functions by which programs free and duplicate communicators: for the preload, and for programs that are linked with
// Laneway (linked.c).
#include <mpi.h>

#include "call/communicator/entrance.hpp"
#include "call/communicator/state.hpp"
#include "call/duplicates.hpp"
#include "call/request.hpp"
#include "library/error.hpp"
#include "library/real.hpp"
#include "library/users.hpp"

using namespace laneway;

#define FOR_OTHERS extern "C" __attribute__((visibility("default")))

namespace {

template <class End>
int end(MPI_Comm* comm, const End& real)
{
    if (!comm || *comm == MPI_COMM_NULL) return real(comm);
    int code = MPI_SUCCESS;
    try {
        if (State* const state = State::existing(*comm)) {
            const Entrance ours;  // exceptions of operators wait meanwhile
            state->finish_agreement();
        }
        const Lifetime::Ending ending(*comm);
        code = real(comm);
    } catch (const Error& error) {
        return error.code();
    }
    users::throw_what_is_kept();
    return code;
}

/// `library`: the MPI library's own function.
template <class Library>
int duplicate(MPI_Comm comm, MPI_Request* request, const Library& library)
{
    if (comm == MPI_COMM_NULL) return library(request);
    try {
        {
            const Entrance ours;
            State::agree_before_duplicate(comm);
        }
        return Duplicates::begin(comm, request, library, Request::are_possible);
    } catch (const Error& error) {
        return error.code();
    }
}

}  // namespace

FOR_OTHERS int laneway_comm_free(MPI_Comm* comm) { return end(comm, real::Comm_free); }

FOR_OTHERS int laneway_comm_disconnect(MPI_Comm* comm) { return end(comm, real::Comm_disconnect); }

FOR_OTHERS int laneway_comm_idup(MPI_Comm comm, MPI_Comm* copy, MPI_Request* request)
{
    return duplicate(comm, request,
                     [=](MPI_Request* its) { return real::Comm_idup(comm, copy, its); });
}

FOR_OTHERS int laneway_comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* copy,
                                           MPI_Request* request)
{
    if (!real::Comm_idup_with_info) return MPI_ERR_OTHER;
    return duplicate(comm, request, [=](MPI_Request* its) {
        return real::Comm_idup_with_info(comm, info, copy, its);
    });
}
