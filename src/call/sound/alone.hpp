// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <mutex>

namespace laneway {

/// A communicator of the calling process alone, on which errors return. The MPI library is asked there what it
/// thinks of an argument, by calls that move nothing. There is one for the process, made when first wanted.
/// While this lives, no other thread asks.
class Alone {
public:
    /// `comm`: the communicator of the user's that the question is about.
    explicit Alone(MPI_Comm comm);

    /// MPI_COMM_NULL where there is none to be had: then nothing can be asked.
    MPI_Comm handle() const;

    /// Whether the library looks at arguments at all: it can be told not to, or built so.
    bool checks_arguments() const;

private:
    std::scoped_lock<std::recursive_mutex> lock_;
};

}  // namespace laneway
