// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <exception>

namespace laneway {

/// An MPI call of ours that failed. It travels as an exception to `run`, which raises it once, on
/// the user's communicator.
class Error : public std::exception {
public:
    explicit Error(int code) noexcept : code_(code) {}
    int code() const noexcept { return code_; }
    const char* what() const noexcept override { return "an MPI call failed"; }

private:
    int code_;
};

/// Throws Error for every MPI return code but MPI_SUCCESS.
inline void check(int code)
{
    if (code != MPI_SUCCESS) throw Error(code);
}

}  // namespace laneway
