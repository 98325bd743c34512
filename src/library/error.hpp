// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <climits>
#include <cstdint>
#include <exception>

namespace laneway {

/// An MPI call of ours that failed. It travels as an exception to `run`, which raises it once, on
/// the user's communicator.
class Error : public std::exception {
public:
    explicit Error(int code, bool is_raised = false) noexcept : code_(code), is_raised_(is_raised)
    {
    }
    int code() const noexcept { return code_; }
    /// The library has called the error handler already: the call was on the user's communicator.
    bool is_raised() const noexcept { return is_raised_; }
    const char* what() const noexcept override { return "an MPI call failed"; }

private:
    int code_;
    bool is_raised_;
};

/// Throws Error for every MPI return code but MPI_SUCCESS.
inline void check(int code)
{
    if (code != MPI_SUCCESS) throw Error(code);
}

/// A count as MPI functions take it. Throws Error where it is too large.
inline int narrow(std::int64_t count)
{
    if (count > INT_MAX) throw Error(MPI_ERR_COUNT);
    return static_cast<int>(count);
}

/// As check(), for calls on a communicator of the user's, which raise their errors themselves.
inline void check_raised(int code)
{
    if (code != MPI_SUCCESS) throw Error(code, true);
}

}  // namespace laneway
