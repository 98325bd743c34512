// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace laneway::bench {

/// A collective of the MPI library, on MPI_INT, from input to result. `size` and `rank` are those of the
/// communicator.
struct NativeCollective {
    const char* name;
    bool blocks;  ///< Whether `count` is that of a block; the result then has a block a process.

    /// Elements of the input, and of the result, on `rank`.
    std::int64_t (*input)(int count, int rank, int size);
    std::int64_t (*output)(int count, int rank, int size);
    int (*call)(const int* in, int* out, int count, MPI_Comm comm);
    /// The value that the library must have written to element `index` of the result.
    int (*expected)(std::int64_t index, int count, int rank, int size);
    /// Elements that some process must send, or some process must receive, whatever the algorithm.
    std::int64_t (*moved)(int count, int size);
};

/// The collective of that name. Throws Misunderstood where it is not known.
const NativeCollective& native_collective(const std::string& name);

/// One collective call on one communicator, with its memory.
class CollectiveCall {
public:
    /// A call on `comm`, which must outlive it. MPI_COMM_NULL: the calling process takes no part.
    CollectiveCall(const NativeCollective& collective, int count, MPI_Comm comm);

    void exchange();
    void reset();
    bool correct() const;

private:
    const NativeCollective& collective_;
    int count_;
    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 0;
    std::vector<int> in_;
    std::vector<int> out_;
};

/// Contribution of `rank` at `index`: neighbours in either differ.
inline int contribution(int rank, std::int64_t index)
{
    return static_cast<int>((index * 7 + std::int64_t{rank} * 31) % 101);
}

}  // namespace laneway::bench
