// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace laneway {

/// A communicator goes while the MPI library deletes its attributes, in whatever call it does so. Functions of the
/// program are called then, which may still use the communicator; its handle is another one's next. The stack tells
/// when this is over: the library's call has returned.
class Going {
public:
    /// To be called by the function that the library calls to delete our attribute of `comm`; `frame`: its frame.
    static void note(MPI_Comm comm, const void* frame);
    /// Whether `comm` goes in the calling thread.
    static bool is(MPI_Comm comm);
};

}  // namespace laneway
