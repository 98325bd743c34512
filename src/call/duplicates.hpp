// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>

namespace laneway {

/// Communicators that the program duplicates without waiting (MPI_Comm_idup). Where libraries make no other one
/// meanwhile (Quirks::makes_one_communicator_at_a_time), neither do we: so the end of a duplication must be known.
/// Nobody sees which call completes a request of the program's. So that request is a receive from oneself, as in
/// call/request.hpp, which is answered when the library's own request has completed.
class Duplicates {
public:
    using Begin = std::function<int(MPI_Request* request)>;

    /// `begin` has the library begin a duplicate of `comm`, and gives its request; `request` becomes the program's.
    /// `are_carried_on`: carry_on() will be called. Waits for nobody. Returns an MPI error code.
    static int begin(MPI_Comm comm, MPI_Request* request, const Begin& begin,
                     bool (*are_carried_on)());

    /// Waits until the duplications of `comm` are over that this process has begun. All processes have begun them where
    /// they are in a later call on `comm`.
    static void finish(MPI_Comm comm);

    /// In the library's progress: answers the requests of duplications that are over. Returns their number.
    static int carry_on();
};

}  // namespace laneway
