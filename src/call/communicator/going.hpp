// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace laneway {

/// A communicator goes while the MPI library deletes its attributes, in whatever call it does so. Functions of the
/// program's are called then, which may still use the communicator; its handle is another one's next. That this is
/// over is learnt from the stack: the library's call has returned.
class Going {
public:
    /// To be called by the function that the library calls to delete our attribute of `comm`; `frame`: of that one.
    static void note(MPI_Comm comm, const void* frame);
    /// `comm` goes in the calling thread.
    static bool is(MPI_Comm comm);
};

}  // namespace laneway
