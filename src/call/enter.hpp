// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdio>
#include <new>

#include "call/communicator/entrance.hpp"
#include "call/communicator/state.hpp"
#include "library/error.hpp"
#include "library/users.hpp"

/// How every function of ours begins and ends.
namespace laneway {

/// `serve()`, unless the call is not the application's: then `native()`. Errors are raised once, on the
/// user's communicator. Exceptions of the user's code pass through. Returns an MPI error code.
template <class Native, class Serve>
int enter(const char* collective, MPI_Comm comm, const Native& native, const Serve& serve)
{
    const Entrance entrance;
    int code = MPI_SUCCESS;
    try {
        code = comm == MPI_COMM_NULL || !entrance.outermost() ? native() : serve();
    } catch (const Error& error) {
        if (!error.is_raised()) PMPI_Comm_call_errhandler(comm, error.code());
        code = error.code();
    } catch (const std::bad_alloc& none) {
        if (users::has_thrown(none)) throw;
        // The other ranks cannot know, and would wait for this one for ever.
        std::fprintf(stderr, "laneway: no memory for a temporary of %s; the job ends\n",
                     collective);
        PMPI_Abort(comm, MPI_ERR_NO_MEM);
        return MPI_ERR_NO_MEM;
    }
    if (entrance.outermost()) users::throw_what_is_kept();
    return code;
}

/// The state of `comm`, made now if it has none yet, for a call that `is_sound(member)`, and that `may_be_served(member)`
/// by the process's own settings. Null where the library will reject the call on this rank alone: the others need not
/// be in a call, and begin no agreement. (An inter-communicator's root is no rank, and its processes agree on nothing.)
/// Null as well where `comm` ends.
template <class IsSound, class MayBeServed>
State* state_for(MPI_Comm comm, const IsSound& is_sound, const MayBeServed& may_be_served)
{
    if (State* const known = State::existing(comm))
        return known->is_inter() || is_sound(known->member()) ? known : nullptr;
    if (State::ends(comm)) return nullptr;
    int inter = 0;
    check_raised(PMPI_Comm_test_inter(comm, &inter));
    if (inter) return &State::of(comm, false);
    const Member me = member_of(comm);
    return is_sound(me) ? &State::of(comm, may_be_served(me)) : nullptr;
}

}  // namespace laneway
